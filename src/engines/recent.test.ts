import { expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { Recent } from "./recent.ts";

test("what was found out a moment ago is known, and nothing that is older than a minute", async () => {
  const clock = new VirtualClock();
  const recent = new Recent<string>(clock);
  expect(recent.get("a")).toBeUndefined();
  recent.add([["a", "1"]]);
  await clock.advance(40_000);
  recent.add([["b", "2"]]);
  expect([recent.get("a"), recent.get("b")]).toEqual(["1", "2"]);
  await clock.advance(20_000);
  expect([recent.get("a"), recent.get("b")]).toEqual([undefined, undefined]);
  recent.add([["b", "3"]]);
  expect([recent.get("a"), recent.get("b")]).toEqual([undefined, "3"]);
});

test("nothing is known after a deletion", () => {
  const recent = new Recent<string>(new VirtualClock());
  recent.add([["a", "1"]]);
  recent.forget();
  expect(recent.get("a")).toBeUndefined();
});
