import { expect, test } from "vitest";
import { keyOf } from "../../kube/object.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { ClaimTurns } from "./claim_turns.ts";

const claim = keyOf({ namespace: "shop", name: "data" });
const work = (uid: string, working = false) => ({ uid, name: `Backup shop/${uid}`, working });

test("one job at a time works on a PVC, also before the caches show it", () => {
  const turns = new ClaimTurns(new VirtualClock());
  const both = [work("a"), work("b")];
  expect(turns.before(claim, "a", both)).toBeUndefined();
  expect(turns.before(claim, "b", both)?.uid).toBe("a");
  expect(turns.before(claim, "a", both)).toBeUndefined();
});

test("a job that works goes before whoever was let in", () => {
  const turns = new ClaimTurns(new VirtualClock());
  expect(turns.before(claim, "a", [work("a"), work("b", true)])?.uid).toBe("b");
});

test("whoever waits for something else, or is gone, keeps nobody waiting", () => {
  const turns = new ClaimTurns(new VirtualClock());
  turns.before(claim, "a", []);
  expect(turns.before(claim, "b", [work("b")])).toBeUndefined();
  turns.leave(claim, "b");
  expect(turns.before(claim, "c", [work("b"), work("c")])).toBeUndefined();
});

test("whoever was let in and did not begin is passed after a while", async () => {
  const clock = new VirtualClock();
  const turns = new ClaimTurns(clock);
  const both = [work("a"), work("b")];
  turns.before(claim, "a", both);
  await clock.advance(31_000);
  expect(turns.before(claim, "b", both)).toBeUndefined();
});
