import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../src/kube/client.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { admit } from "../../src/kube/schema/admit.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import { anySchema, valueFor, withDefaults } from "../unit/schema_arbitrary.ts";
import {
  type AnyObject,
  connectToTestCluster,
  describeProblem,
  inParallel,
  install,
  plainCrd,
  serverVerdict,
  sorted,
  uninstall,
  type Verdict,
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
        const ours = interpreterVerdict(schema, resource, object);
        const involved = Object.keys(spec).map((name) => properties[name]);
        if (!same(theirs, ours, involved)) differences.push(JSON.stringify({ involved, spec, theirs, ours }));
      });
      if (differences.length > 0) {
        const shortest = differences.sort((a, b) => a.length - b.length).slice(0, 3);
        expect.fail(
          `${differences.length} differ; HOLDFAST_SEED=${SEED} repeats them:\n${shortest.join("\n")}`,
        );
      }
    },
  );
});

function interpreterVerdict(
  schema: Structural,
  { group, version, kind }: Resource,
  object: Pick<AnyObject, "spec">,
): Verdict {
  const admitted = admit(schema, { apiVersion: `${group}/${version}`, kind, ...object });
  if (admitted.problems.length > 0) return { problems: admitted.problems.map(describeProblem).sort() };
  return { accepted: sorted((admitted.object as AnyObject).spec), unknown: admitted.unknown };
}

/** Which alternative of a junctor the server quotes follows from its own counting: there the verdict must do. */
function same(theirs: Verdict, ours: Verdict, schemas: readonly unknown[]): boolean {
  const junctor = /"(anyOf|oneOf|allOf|not)":/.test(JSON.stringify(schemas));
  if (junctor) return "accepted" in theirs === "accepted" in ours;
  return JSON.stringify(theirs) === JSON.stringify(ours);
}
