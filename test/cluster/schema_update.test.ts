import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { admit } from "../../src/kube/schema/admit.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { isRecord } from "../../src/lib/json.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import { anySchema, valueFor } from "../unit/schema_arbitrary.ts";
import {
  connectToTestCluster,
  describeProblem,
  inParallel,
  install,
  plainCrd,
  serverVerdict,
  uninstall,
} from "./schema_cluster.ts";

const GROUP = `update-${systemRandom.hex(4)}.test.holdfast.dev`;
const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 28));
const FIELDS = 30;
const OBJECTS = 150;

let client: Client;
beforeAll(async () => {
  client = await connectToTestCluster();
});
afterAll(() => uninstall(client, GROUP));

test(`updates of objects that a later schema would refuse get the API server's verdict (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const one = <T>(values: fc.Arbitrary<T>): T => {
    const [value] = fc.sample(values, { numRuns: 1, seed: Math.floor(random.next() * 2 ** 31) });
    return value as T;
  };
  const fields = Array.from({ length: FIELDS }, (_, i): [string, Structural] => [`f${i}`, one(anySchema)]);
  const loose: Structural = {
    type: "object",
    properties: { spec: { "x-kubernetes-preserve-unknown-fields": true } },
  };
  const properties = { ...Object.fromEntries(fields), strict: { type: "boolean" } as const };
  const strict: Structural = { type: "object", properties: { spec: { type: "object", properties } } };

  const resource = await install(client, plainCrd(GROUP, "Changing", loose));
  const object = (name: string, spec: unknown) => ({ metadata: { name, namespace: "default" }, spec });
  const chosen = Array.from({ length: OBJECTS }, (_, i) => {
    const [name, schema] = fields[i % FIELDS] ?? ["", {}];
    return {
      name: `o${i}`,
      spec: { [name]: one(valueFor(schema)), other: i },
      changed: { [name]: one(valueFor(schema)) },
    };
  });
  await inParallel(chosen, async ({ name, spec }) => {
    await client.create(resource, object(name, spec));
  });
  const crd = await client.get(CustomResourceDefinitions, { name: `changings.${GROUP}` });
  await client.update(CustomResourceDefinitions, { ...crd, spec: plainCrd(GROUP, "Changing", strict).spec });
  const isStrict = async () =>
    "problems" in
    (await serverVerdict((options) => client.create(resource, object("it", { strict: 1 }), options)));
  while (!(await isStrict())) await sleep(systemClock, 100);

  const differences: string[] = [];
  await inParallel(chosen, async ({ name, changed }) => {
    const old = await client.get(resource, { name, namespace: "default" });
    const kept = isRecord(old.spec) ? old.spec : {};
    for (const spec of [{ ...kept, strict: true }, changed]) {
      const theirs = await serverVerdict((options) => client.update(resource, { ...old, spec }, options));
      const { problems } = admit(strict, { ...old, spec }, { old });
      const ours = problems.map(describeProblem).sort();
      const refused = "problems" in theirs ? theirs.problems : [];
      const exact = !/"(anyOf|oneOf|allOf|not)":/.test(
        JSON.stringify(Object.keys(spec).map((key) => (properties as Record<string, Structural>)[key])),
      );
      const same = exact
        ? JSON.stringify(refused) === JSON.stringify(ours)
        : (refused.length === 0) === (ours.length === 0);
      if (!same)
        differences.push(
          JSON.stringify({
            schema: Object.keys(spec).map((key) => (properties as Record<string, Structural>)[key]),
            old: old.spec,
            spec,
            refused,
            ours,
          }),
        );
    }
  });
  if (differences.length > 0) {
    const shortest = differences.sort((a, b) => a.length - b.length).slice(0, 3);
    expect.fail(`${differences.length} differ; HOLDFAST_SEED=${SEED} repeats them:\n${shortest.join("\n")}`);
  }
});
