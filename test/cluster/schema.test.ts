import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Client } from "../../src/kube/client.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import { anySchema, valueFor, withDefaults } from "../unit/schema_arbitrary.ts";
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

const GROUP = `schema-${systemRandom.hex(4)}.test.holdfast.dev`;
const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 28));
const ROUNDS = 4;
const FIELDS = 30;
const OBJECTS = 450;

let client: Client;
beforeAll(async () => {
  client = await connectToTestCluster();
});
afterAll(() => uninstall(client, GROUP));

describe(`the interpreter agrees with the API server (seed ${SEED})`, () => {
  test.each(Array.from({ length: ROUNDS }, (_, i) => i))(
    "on the fields, reasons, words, defaults and pruning of random values, round %i",
    async (round) => {
      const random = seededRandom(SEED * ROUNDS + round);
      const one = <T>(values: fc.Arbitrary<T>): T => {
        const [value] = fc.sample(values, { numRuns: 1, seed: Math.floor(random.next() * 2 ** 31) });
        return value as T;
      };
      const fields = Array.from({ length: FIELDS }, (_, i): [string, Structural] => {
        // A default on the field itself would be in every object.
        const { default: _unwanted, ...schema } = withDefaults(one(anySchema), one, random.next);
        return [`f${i}`, schema];
      });
      const properties = Object.fromEntries(fields);
      const schema: Structural = { type: "object", properties: { spec: { type: "object", properties } } };
      const resource = await install(client, plainCrd(GROUP, `Random${round}`, schema));

      const specs = Array.from({ length: OBJECTS }, (_, i) => {
        const chosen = [i % FIELDS, Math.floor(random.next() * FIELDS)].map((at) => fields[at]);
        return Object.fromEntries(chosen.map(([name, field] = ["", {}]) => [name, one(valueFor(field))]));
      });
      const differences: string[] = [];
      await inParallel(specs, async (spec) => {
        const object = { metadata: { name: "it", namespace: "default" }, spec };
        const theirs = await serverVerdict((options) => client.create(resource, object, options));
        const ours = interpreterVerdict(schema, object);
        const involved = Object.keys(spec).map((name) => properties[name]);
        const same =
          sameProblems(theirs.problems, ours.problems, involved) &&
          JSON.stringify(theirs.taken) === JSON.stringify(ours.taken);
        if (!same) differences.push(JSON.stringify({ involved, spec, theirs, ours }));
      });
      expectNone(differences, SEED);
    },
  );
});
