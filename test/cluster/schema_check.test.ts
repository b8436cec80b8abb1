import { beforeAll, expect, test } from "vitest";
import { ApiError } from "../../src/kube/api_error.ts";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { crdWith, text } from "../unit/broken_crd.ts";
import { BROKEN } from "../unit/schema_broken.ts";
import { connectToTestCluster } from "./schema_cluster.ts";

const GROUP = `check-${systemRandom.hex(4)}.test.holdfast.dev`;

let client: Client;
beforeAll(async () => {
  client = await connectToTestCluster();
});

async function refusal(crd: unknown): Promise<string | undefined> {
  try {
    await client.create(CustomResourceDefinitions, crd as never, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code < 500) return error.message;
    throw error;
  }
}

test("the API server takes the CRD that the broken ones are made from", async () => {
  const good = crdWith(GROUP, { it: text });
  expect(await refusal(good)).toBeUndefined();
});

test.each(BROKEN.filter(({ ours }) => !ours))(
  "the API server refuses $name, as the checker does",
  async ({ crd }) => {
    expect(await refusal(crd(GROUP))).toBeDefined();
  },
);

test.each(BROKEN.filter(({ ours }) => ours))(
  "the API server takes $name: that rule is our own",
  async ({ crd }) => {
    expect(await refusal(crd(GROUP))).toBeUndefined();
  },
);
