import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { SpaceWatch } from "./space_watch.ts";

function watching(...free: readonly (number | Error)[]) {
  const clock = new VirtualClock();
  const left = [...free];
  const watch = new SpaceWatch("/repository", {
    what: "taking a snapshot",
    clock,
    freeBytes: async () => {
      const found = left.shift() ?? 0;
      if (found instanceof Error) throw found;
      return found;
    },
  });
  return { clock, watch, left };
}

test("a disk that stays full ends the work as Full", async () => {
  const { clock, watch } = watching(1e9, 0, 0, 0);
  await clock.advance(3000);
  expect(watch.signal.aborted).toBe(false);
  await clock.advance(1000);
  expect(watch.signal.reason).toMatchObject({
    class: "Full",
    message: "taking a snapshot: the storage is full",
  });
});

test("a disk that is full for a moment, or cannot be asked, does not", async () => {
  const { clock, watch, left } = watching(0, 0, 1e6, 0, 0, new Error("gone"), 0, 0, 1e6);
  await clock.advance(9000);
  expect(left).toEqual([]);
  expect(watch.signal.aborted).toBe(false);
});

test("nothing is watched once the work is over", async () => {
  const { clock, watch, left } = watching(0, 0, 0, 0);
  await clock.advance(1000);
  watch[Symbol.dispose]();
  await clock.advance(9000);
  expect(left).toHaveLength(3);
});
