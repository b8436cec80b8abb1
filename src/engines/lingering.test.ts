import { expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { lingering } from "./lingering.ts";

test.each([
  ["before", true],
  ["meanwhile", false],
])("a lingering signal aborts a while after its parent, which was aborted %s", async (_, before) => {
  const clock = new VirtualClock();
  const parent = new AbortController();
  if (before) parent.abort("enough");
  using lingered = lingering(clock, 1000, parent.signal);
  parent.abort("enough");
  await clock.advance(999);
  expect(lingered.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(lingered.signal.reason).toBe("enough");
});

test("a lingering signal leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const { signal } = (() => {
    using lingered = lingering(clock, 1000, AbortSignal.abort());
    return lingered;
  })();
  await clock.advance(1000);
  expect(signal.aborted).toBe(false);
});
