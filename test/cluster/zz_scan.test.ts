import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, test } from "vitest";
import { CustomResourceDefinitions, Namespaces } from "../../src/kube/builtin.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { jsonEqual } from "../../src/lib/json.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { type Call, sequences } from "../conformance/two_worlds/calls.ts";
import { Visitor } from "../conformance/two_worlds/visitor.ts";
import { Api } from "../conformance/world/api.ts";
import { embeddedGround } from "../conformance/world/embedded_ground.ts";
import { condition, taken } from "../conformance/world/expectations.ts";
import { realGround } from "../conformance/world/real_ground.ts";
import { widgetCrd } from "../conformance/world/widgets.ts";
import type { Ground } from "../conformance/world/world.ts";

const SECONDS = Number(process.env.SCAN ?? 40);
const AT_ONCE = 6;
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
    await crds.until(crd.metadata.name, (o) => condition(o, "Established")?.status === "True");
    while ((await api.of(widgets).list()).code !== 200);
  }
});
afterAll(() => stay.disposeAsync());
function explain(real: unknown, embedded: unknown, path = ""): string {
  if (jsonEqual(real, embedded)) return "";
  const inner = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!inner(real) || !inner(embedded) || Array.isArray(real) !== Array.isArray(embedded))
    return `  ${path}: real ${JSON.stringify(real)}, embedded ${JSON.stringify(embedded)}\n`;
  const keys = [...new Set([...Object.keys(real), ...Object.keys(embedded)])];
  const at = (value: object, key: string) => (value as Record<string, unknown>)[key];
  return keys.map((key) => explain(at(real, key), at(embedded, key), `${path}.${key}`)).join("");
}
const found = new Map<string, { n: number; calls: readonly Call[]; text: string }>();
async function compare(calls: readonly Call[], namespace: string): Promise<void> {
  const [first] = calls;
  if (!first) return;
  using theirs = new Visitor(real.sender, first.kind, widgets, namespace);
  using ours = new Visitor(embedded.sender, first.kind, widgets, namespace);
  const both = <T>(run: (visitor: Visitor) => Promise<T>) => Promise.all([run(theirs), run(ours)]);
  await both((visitor) => visitor.begin());
  let bad = false;
  for (const [step, call] of calls.entries()) {
    const [wanted, got] = await both((visitor) => visitor.make(call));
    if (jsonEqual(wanted, got)) continue;
    bad = true;
    const text = explain(wanted, got);
    const key = `${call.kind} ${call.verb} ${text.replace(/two-worlds-[0-9a-f]+-\d/g, "NS").replace(/real "[^"]{0,1}"/g, "").replace(/\\"[abc]\\"/g, "N").replace(/[{\[].*?(,|$)/gm, "").slice(0, 160)}`;
    const old = found.get(key);
    if (!old || old.calls.length > step + 1) found.set(key, { n: (old?.n ?? 0) + 1, calls: calls.slice(0, step + 1), text });
    else old.n++;
    break;
  }
  const [wanted, got] = await both((visitor) => visitor.end());
  if (!bad && !jsonEqual(wanted, got)) {
    const text = explain(wanted, got);
    const key = `watch ${text.slice(0, 100)}`;
    const old = found.get(key);
    if (!old || old.calls.length > calls.length) found.set(key, { n: (old?.n ?? 0) + 1, calls, text });
    else old.n++;
  }
}
test("scan", { timeout: 1_000_000 }, async () => {
  const end = performance.now() + SECONDS * 1000;
  let n = 0;
  const seed = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 31));
  await Promise.all(
    namespaces.map(async (namespace, worker) => {
      for (const calls of fc.sample(sequences, { seed: seed + worker, numRuns: 4000 })) {
        if (process.env.KIND && calls[0]?.kind !== process.env.KIND) continue;
        if (performance.now() > end) return;
        try {
          await compare(calls, namespace);
        } catch (error) {
          found.set(`CRASH ${String(error).slice(0, 200)}`, { n: 1, calls, text: String(error) });
          return;
        }
        n++;
      }
    }),
  );
  const lines = [...found.entries()].sort((a, b) => b[1].n - a[1].n).map(([, v]) => `## ${v.n}x, after ${v.calls.length} calls; last: ${JSON.stringify(v.calls.at(-1))}\n${v.calls.length <= 14 ? v.calls.slice(0, -1).map((c) => `   before: ${JSON.stringify(c)}\n`).join("") : ""}${v.text.slice(0, 4000)}`);
  writeFileSync("/tmp/scan.txt", `${n} sequences, ${found.size} kinds of difference\n${lines.join("\n")}`);
});
