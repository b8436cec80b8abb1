import { expect, test } from "vitest";
import { claimedSpec, microTime, releasedSpec } from "./lease_record.ts";

const claim = { identity: "me", duration: 15_000, now: Date.parse("2026-01-01T00:00:00.250Z"), sequence: 7 };

test("times have six fractional digits, whatever the sequence", () => {
  for (const micros of [0, 7, 999, 1000, 123_456]) {
    expect(microTime(claim.now, micros)).toMatch(/^2026-01-01T00:00:00\.250\d{3}Z$/);
  }
});

test("two claims in the same millisecond differ", () => {
  const first = claimedSpec(undefined, claim);
  expect(claimedSpec(first, { ...claim, sequence: 8 }).renewTime).not.toBe(first.renewTime);
});

test("a renewal keeps the time of acquisition and the count of transitions", () => {
  const first = claimedSpec(undefined, claim);
  const renewed = claimedSpec(first, { ...claim, now: claim.now + 2_000 });
  expect([renewed.acquireTime, renewed.leaseTransitions]).toEqual([first.acquireTime, 0]);
});

test("a takeover counts as a transition and starts a new term, also after a release", () => {
  const released = releasedSpec({ ...claimedSpec(undefined, { ...claim, identity: "other" }) }, claim.now);
  expect(released).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  const taken = claimedSpec(released, { ...claim, now: claim.now + 1_000 });
  expect(taken).toMatchObject({ holderIdentity: "me", leaseTransitions: 1, leaseDurationSeconds: 15 });
  expect(taken.acquireTime).toBe(taken.renewTime);
});

test("a duration is rounded up, and fields that are not ours survive", () => {
  const before = { holderIdentity: "other", strategy: "OldestEmulationVersion" };
  expect(claimedSpec(before, { ...claim, duration: 1_500 })).toMatchObject({
    leaseDurationSeconds: 2,
    strategy: "OldestEmulationVersion",
  });
});
