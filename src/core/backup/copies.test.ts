import { describe, expect, test } from "vitest";
import { AT, NOW, working } from "../testing/samples.ts";
import type { StagingDecision, StagingIntent } from "../volumes/staging/staging_decision.ts";
import type { TaskState } from "../work/task_decision.ts";
import { type Copies, type CopiesQuestion, decideCopies, gateOfCopies, readyVolumes } from "./copies.ts";
import { isWaiting, type StagingMemory, trying } from "./staging_memory.ts";

const memory: StagingMemory = { edition: "e1", since: AT, failures: 0 };
const intent = { type: "Delete" } as unknown as StagingIntent;
const held: TaskState = { phase: "Held", reason: "r", message: "m" };
const source = { namespace: "billing", name: "data" };
const ready = (claim: string): StagingDecision => ({
  state: { phase: "Ready", captured: true, volumes: [{ source, claim }] },
  intents: [],
});
const refused = (kind: "transient" | "structural" | "terminal"): StagingDecision => ({
  state: { phase: "Refused", class: kind, reason: "SnapshotTimedOut", message: "It took too long." },
  intents: [intent],
});
const waiting: StagingDecision = {
  state: { phase: "Waiting", captured: false, reason: "SnapshotPending", message: "It is taken." },
  intents: [intent],
  wakeAt: NOW + 3,
};
const staging = (decision: StagingDecision, remembered = memory) =>
  ({ phase: "Staging", memory: remembered, decision }) as const satisfies Copies;

const decide = (copies: CopiesQuestion["copies"], more: Partial<CopiesQuestion> = {}) =>
  decideCopies({ copies, state: held, backoffLimit: 2, name: "uid-first", now: NOW, ...more });

describe("a try to stage what a mover reads", () => {
  test("shuts the gate and is remembered while it goes on", () => {
    const copies = staging(waiting);
    expect(gateOfCopies(copies)).toEqual({ open: false, reason: "SnapshotPending", message: "It is taken." });
    expect(readyVolumes(copies)).toEqual([]);
    expect(decide(copies)).toEqual({
      memory,
      intents: [{ type: "Stage", intents: [intent] }],
      wakeAt: NOW + 3,
    });
  });

  test("opens the gate once there is a copy, which is remembered", () => {
    const copies = staging(ready("data-copy"));
    expect(gateOfCopies(copies)).toEqual({ open: true });
    expect(readyVolumes(copies)).toEqual([{ source, claim: "data-copy" }]);
    expect(decide(copies)).toEqual({ memory, intents: [] });
  });

  test("leaves nothing to remember where the volume itself is read", () => {
    expect(decide(staging(ready("data")))).toEqual({ intents: [] });
  });

  test.each([
    ["transient", 0, 30_000, 36_000],
    ["transient", 1, 60_000, 72_000],
    ["structural", 9, 300_000, 360_000],
  ] as const)("that is given up (%s, after %i others) begins again later", (kind, failures, least, most) => {
    const decision = decide(staging(refused(kind), { ...memory, failures }));
    const after = decision.memory;
    expect(after).toMatchObject({ failures: failures + 1, refusal: { reason: "SnapshotTimedOut" } });
    expect(after?.since).toBeUndefined();
    const delay = Date.parse(after?.notBefore ?? "") - NOW;
    expect(delay).toBeGreaterThanOrEqual(least);
    expect(delay).toBeLessThanOrEqual(most);
    expect(decision).toMatchObject({
      readyState: { state: "reconciling", reason: "SnapshotTimedOut", warning: true },
      failure: { errorClass: "SnapshotTimedOut", retry: kind, attempt: failures + 1 },
      intents: [{ type: "Stage", intents: [intent] }],
      wakeAt: NOW + 5_000,
    });
    expect(decision.readyState?.message).toBe(
      `It took too long. The next try begins at ${after?.notBefore}.`,
    );
  });

  test.each([
    ["transient", 2],
    ["terminal", 0],
  ] as const)("that is given up (%s, after %i others) was the last", (kind, failures) => {
    const decision = decide(staging(refused(kind), { ...memory, failures }));
    expect(decision.memory?.notBefore).toBeUndefined();
    expect(decision.readyState).toEqual({
      state: "stalled",
      reason: "SnapshotTimedOut",
      message: "It took too long.",
    });
  });

  test("does not take away what a Job is about to read", () => {
    expect(decide(staging(refused("transient")), { state: working })).toEqual({ memory, intents: [] });
  });

  test("that was given up is cleaned up after, in as many steps as it takes", () => {
    const after = decide(staging(refused("transient"))).memory as StagingMemory;
    const cleaning = { intents: [intent], done: false, unseen: [] };
    const copies = { phase: "GivenUp", memory: after, cleaning } as const;
    expect(gateOfCopies(copies)).toMatchObject({ open: false, reason: "SnapshotTimedOut" });
    expect(decide(copies)).toMatchObject({
      memory: after,
      intents: [{ type: "Stage" }],
      wakeAt: NOW + 5_000,
      readyState: { reason: "SnapshotTimedOut" },
    });
    const clean = decide({ ...copies, cleaning: { intents: [], done: true, unseen: [] } });
    expect(clean).toMatchObject({ intents: [], wakeAt: Date.parse(after.notBefore ?? "") });
  });
});

describe("what is remembered of a try", () => {
  const later = { edition: "e1", failures: 2, notBefore: new Date(NOW + 1).toISOString() };

  test("holds back until its time has come, or somebody edits the Backup", () => {
    expect(isWaiting(later, "e1", NOW)).toBe(true);
    expect(isWaiting(later, "e1", NOW + 1)).toBe(false);
    expect(isWaiting(later, "e2", NOW)).toBe(false);
    const wrong = { ...later, notBefore: new Date(NOW + 86_400_000).toISOString() };
    expect(isWaiting(wrong, "e1", NOW)).toBe(false);
  });

  test("begins anew after it was given up, and counts on", () => {
    expect(trying(later, "e1", NOW)).toEqual({
      edition: "e1",
      since: "2026-05-24T02:13:00.000Z",
      failures: 2,
    });
    expect(trying(later, "e2", NOW).failures).toBe(0);
  });

  test("keeps the time that a try began", () => {
    expect(trying(memory, "e1", NOW + 9).since).toBe(AT);
    expect(trying(memory, "e2", NOW + 9).since).toBe(AT);
  });
});
