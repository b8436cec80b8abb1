import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CustomResourceDefinitions, Namespaces } from "../../src/kube/builtin.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { jsonEqual } from "../../src/lib/json.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { type Call, KINDS, resourceOf, sequences } from "../conformance/two_worlds/calls.ts";
import { Visitor } from "../conformance/two_worlds/visitor.ts";
import { Api } from "../conformance/world/api.ts";
import { embeddedGround } from "../conformance/world/embedded_ground.ts";
import { condition, taken } from "../conformance/world/expectations.ts";
import { letGo } from "../conformance/world/let_go.ts";
import { realGround } from "../conformance/world/real_ground.ts";
import { widgetCrd } from "../conformance/world/widgets.ts";
import type { Ground } from "../conformance/world/world.ts";

const SECONDS = process.env.HOLDFAST_LONG ? 600 : 40;
const AT_ONCE = 4;
const seed = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 31));

const id = systemRandom.hex(3);
const group = `t${id}.holdfast.dev`;
const widgets: Resource = { group, version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
const namespaces = Array.from({ length: AT_ONCE }, (_, i) => `two-worlds-${id}-${i}`);
const stay = new AsyncDisposableStack();
let real: Ground;
let embedded: Ground;

beforeAll(async () => {
  real = stay.use(await realGround()).ground;
  embedded = stay.use(await embeddedGround()).ground;
  for (const { sender } of [real, embedded]) {
    const api = new Api(sender);
    const crds = api.of(CustomResourceDefinitions);
    const crd = widgetCrd(group);
    taken(await crds.create(crd), 201);
    stay.defer(async () => void (await crds.delete(crd.metadata.name)));
    for (const name of namespaces) {
      taken(await api.of(Namespaces).create({ metadata: { name } }), 201);
      stay.defer(async () => void (await api.of(Namespaces).delete(name)));
    }
    stay.defer(() =>
      letGo(
        api,
        KINDS.map((kind) => resourceOf(kind, widgets)),
        namespaces,
      ),
    );
    await crds.until(crd.metadata.name, (o) => condition(o, "Established")?.status === "True");
    while ((await api.of(widgets).list()).code !== 200);
  }
});

afterAll(() => stay.disposeAsync());

/** Makes the calls in both worlds, side by side; fails at the first answer that differs. */
async function compare(calls: readonly Call[], namespace: string): Promise<void> {
  const [first] = calls;
  if (!first) return;
  using theirs = new Visitor(real.sender, first.kind, widgets, namespace);
  using ours = new Visitor(embedded.sender, first.kind, widgets, namespace);
  const both = <T>(run: (visitor: Visitor) => Promise<T>) => Promise.all([run(theirs), run(ours)]);
  await both((visitor) => visitor.begin());
  let difference: string | undefined;
  for (const [step, call] of calls.entries()) {
    const [wanted, got] = await both((visitor) => visitor.make(call));
    if (jsonEqual(wanted, got)) continue;
    difference = `call ${step + 1}, ${JSON.stringify(call)}:\n${explain(wanted, got)}`;
    break;
  }
  const [wanted, got] = await both((visitor) => visitor.end());
  if (difference === undefined && !jsonEqual(wanted, got))
    difference = `the watches saw:\n${explain(wanted, got)}`;
  if (difference !== undefined) throw new Error(difference);
}

/** Only what differs, path by path. */
function explain(real: unknown, embedded: unknown, path = ""): string {
  if (jsonEqual(real, embedded)) return "";
  const inner = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!inner(real) || !inner(embedded) || Array.isArray(real) !== Array.isArray(embedded))
    return `  ${path}: real ${JSON.stringify(real)}, embedded ${JSON.stringify(embedded)}\n`;
  const keys = [...new Set([...Object.keys(real), ...Object.keys(embedded)])];
  const at = (value: object, key: string) => (value as Record<string, unknown>)[key];
  return keys.map((key) => explain(at(real, key), at(embedded, key), `${path}.${key}`)).join("");
}

test(`both worlds answer the same calls alike (HOLDFAST_SEED=${seed})`, {
  timeout: SECONDS * 4_000,
}, async () => {
  let compared = 0;
  const explore = async (namespace: string, worker: number) => {
    const property = fc.asyncProperty(sequences, async (calls) => {
      await compare(calls, namespace);
      compared++;
    });
    const result = await fc.check(property, {
      seed: seed + worker,
      numRuns: 1_000_000,
      interruptAfterTimeLimit: SECONDS * 1000,
    });
    if (!result.failed || result.counterexample === null) return;
    const calls = result.counterexample[0].map((call) => JSON.stringify(call)).join("\n  ");
    expect.fail(
      `HOLDFAST_SEED=${seed} found, as short as it gets:\n  ${calls}\n${String(result.errorInstance)}`,
    );
  };
  await Promise.all(namespaces.map(explore));
  console.log(`${compared} sequences were the same in both worlds`);
  expect(compared).toBeGreaterThan(SECONDS / 2);
});
