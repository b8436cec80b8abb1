import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { KINDS, type KnownKind } from "../../src/kinds/kopiur/kinds.ts";
import type { Case } from "../../src/kinds/kopiur/testing/case.ts";
import { kopiurCases } from "../../src/kinds/kopiur/testing/cases.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { celEvaluator } from "../../src/kube/schema/cel.ts";
import type { Crd } from "../../src/kube/schema/crd.ts";
import { systemRandom } from "../../src/lib/random.ts";
import {
  type AnyObject,
  connectToTestCluster,
  install,
  interpreterVerdict,
  serverVerdict,
  uninstall,
} from "./schema_cluster.ts";

/** A group of the test's own: nobody else's CRDs are touched. */
const GROUP = `kopiur-${systemRandom.hex(4)}.test.holdfast.dev`;
const FOLDER = join(import.meta.dirname, "../../src/kinds/kopiur/generated");
const cel = celEvaluator();

function crdOf({ resource }: KnownKind): Crd {
  const crd = parse(readFileSync(join(FOLDER, `${resource.plural}.crd.yaml`), "utf8")) as Crd;
  const name = `${resource.plural}.${GROUP}`;
  return { ...crd, metadata: { ...crd.metadata, name }, spec: { ...crd.spec, group: GROUP } };
}

let client: Client;
const served = new Map<string, Resource<AnyObject>>();
beforeAll(async () => {
  client = await connectToTestCluster();
  for (const known of KINDS) {
    const resource = await install(client, crdOf(known));
    served.set(known.resource.kind, { ...resource, namespaced: known.resource.namespaced });
  }
});
afterAll(() => uninstall(client, GROUP));

/** The case's object as it would be written, and the stored one that it replaces. */
async function written(resource: Resource<AnyObject>, { spec, old }: Case) {
  const name = `it-${systemRandom.hex(4)}`;
  const metadata = { name, ...(resource.namespaced ? { namespace: "default" } : {}) };
  if (!old) return { object: { metadata, spec } };
  const created = await client.create(resource, { metadata, spec: old.spec });
  if (!old.status) return { object: { ...created, spec }, old: created };
  const patch = { type: "merge", patch: { status: old.status } } as const;
  const stored = await client.patch(resource as Resource, metadata, patch as never, {
    subresource: "status",
  });
  return { object: { ...(stored as AnyObject), spec }, old: stored as AnyObject };
}

describe.each(KINDS)(
  "the API server and the interpreter agree on a $resource.kind",
  ({ resource, schema }) => {
    const cases = kopiurCases.find(({ kind }) => kind === resource.kind)?.cases ?? [];

    test.each(cases)("$name", async (given) => {
      const target = served.get(resource.kind);
      if (!target) throw new Error(`${resource.kind} is not served`);
      const { object, old } = await written(target, given);
      const theirs = await serverVerdict((options) =>
        old
          ? client.update(target, object as AnyObject, options)
          : client.create(target, object as AnyObject, options),
      );
      // Other versions refuse the same, and say some of it in other words.
      if (!process.env.HOLDFAST_TEST_OTHER_API_SERVER)
        expect(interpreterVerdict(schema, object, { cel, ...(old ? { old } : {}) })).toEqual(theirs);
      expect(theirs.problems.length > 0).toBe(given.problems !== undefined);
    });
  },
);
