import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { isRecord } from "../../src/lib/json.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import { anySchema, valueFor } from "../unit/schema_arbitrary.ts";
import {
  connectToTestCluster,
  expectNone,
  inParallel,
  install,
  interpreterVerdict,
  plainCrd,
  sameProblems,
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
  const properties: Record<string, Structural> = {
    ...Object.fromEntries(fields),
    strict: { type: "boolean" },
  };
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
  const isStrict = async () => {
    const probe = object("probe", { strict: 1 });
    return (await serverVerdict((options) => client.create(resource, probe, options))).problems.length > 0;
  };
  while (!(await isStrict())) await sleep(systemClock, 100);

  const differences: string[] = [];
  await inParallel(chosen, async ({ name, changed }) => {
    const old = await client.get(resource, { name, namespace: "default" });
    const kept = isRecord(old.spec) ? old.spec : {};
    for (const spec of [{ ...kept, strict: true }, changed]) {
      const object = { ...old, spec };
      const theirs = await serverVerdict((options) => client.update(resource, object, options));
      const ours = interpreterVerdict(strict, object, { old });
      const involved = Object.keys(spec).map((key) => properties[key]);
      if (sameProblems(theirs.problems, ours.problems, involved)) continue;
      differences.push(JSON.stringify({ involved, old: old.spec, spec, theirs, ours }));
    }
  });
  expectNone(differences, SEED);
});
