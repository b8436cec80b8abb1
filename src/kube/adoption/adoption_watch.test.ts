import { expect, test } from "vitest";
import { sleep } from "../../lib/clock.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import type { Reader } from "../client.ts";
import type { Resource } from "../resource.ts";
import type { Structural } from "../schema/structural.ts";
import { AdoptionWatch } from "./adoption_watch.ts";
import { WIDGETS } from "./testing/widgets.ts";

const schema: Structural = { type: "object" };
const crd = {
  metadata: { name: "widgets.example.org", uid: "1", resourceVersion: "1" },
  spec: {
    scope: "Namespaced",
    names: { kind: "Widget" },
    versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: schema } }],
  },
  status: { conditions: [{ type: "Established", status: "True" }] },
};

/** A CRD that fits, with no objects. `slow`: how long listing takes, in milliseconds. No watch is ever opened. */
function ground(slow: number) {
  const clock = new VirtualClock();
  const reader = {
    get: () => Promise.resolve(crd),
    metadata: {
      get: () => Promise.resolve(crd),
      async *pages(_: Resource, { signal }: { readonly signal: AbortSignal }) {
        await sleep(clock, slow, signal);
        yield { items: [] };
      },
      // biome-ignore lint/correctness/useYield: it never comes to that.
      async *watch() {
        throw new Error("not allowed");
      },
    },
  } as unknown as Reader;
  const turns: string[] = [];
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (_: unknown, text: string) => warned.push(text) };
  const onTurn = (reason: string) => turns.push(reason);
  const kinds = [{ resource: WIDGETS, schema }];
  const watch = new AdoptionWatch({ client: reader, clock, log, name: "widgets", kinds, onTurn });
  return { clock, watch, turns, warned };
}

test("what the first look has no time for does not open the door later, and so never starts the program again", async () => {
  const { clock, watch, turns } = ground(40_000);
  const looked = watch.look();
  await clock.advance(40_000);
  await looked;
  expect(watch.problems).toEqual([expect.stringContaining("took longer than 30 s")]);
  const stop = new AbortController();
  const running = watch.run(stop.signal, () => {});
  await clock.advance(600_000);
  expect(turns).toEqual([]);
  stop.abort();
  await running;
});

test("objects that cannot be followed for a minute are told of", async () => {
  const { clock, watch, warned } = ground(0);
  const looked = watch.look();
  await clock.advance(1);
  await looked;
  expect(watch.problems).toEqual([]);
  const stop = new AbortController();
  const running = watch.run(stop.signal, () => {});
  await clock.advance(50_000);
  expect(warned).toEqual([]);
  await clock.advance(10_000);
  expect(warned).toEqual([
    "the adoption of widgets cannot be followed: another controller would not be noticed",
  ]);
  stop.abort();
  await running;
});
