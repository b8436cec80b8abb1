import { describe, expect, test } from "vitest";
import { NOW } from "../testing/samples.ts";
import type { CleanUp } from "../volumes/staging/clean_up.ts";
import type { StagingIntent } from "../volumes/staging/staging_decision.ts";
import type { BackupDecision } from "./backup.ts";
import { backup, FINALIZER } from "./testing/backup_samples.ts";
import { withClearing } from "./with_clearing.ts";

const status = { phase: "Succeeded" as const, work: { snapshot: { attempt: 1 }, staging: { failures: 0 } } };
const object = backup({ status });
const letGo: BackupDecision = {
  intents: [{ type: "LetGo", finalizer: FINALIZER }],
  events: [{ type: "Normal", reason: "SnapshotOrphaned", message: "m" }],
};
const remove = { type: "Delete" } as unknown as StagingIntent;
const left: CleanUp = { intents: [remove], done: false, unseen: [] };
const done: CleanUp = { intents: [], done: true, unseen: [] };

describe("withClearing()", () => {
  test("leaves alone what has nothing staged", () => {
    expect(withClearing(letGo, object, undefined, NOW)).toBe(letGo);
  });

  test("holds a Backup as long as something is left, and tells its end only then", () => {
    expect(withClearing(letGo, object, left, NOW)).toEqual({
      intents: [{ type: "Stage", intents: [remove] }],
      events: [],
      wakeAt: NOW + 5_000,
    });
    expect(withClearing(letGo, object, done, NOW)).toBe(letGo);
  });

  test("comes after everything else that is to be done", () => {
    const run = { type: "Run", decision: {} as never } as const;
    const decision = withClearing({ intents: [run], wakeAt: NOW + 1 }, object, left, NOW);
    expect(decision.intents).toEqual([run, { type: "Stage", intents: [remove] }]);
    expect(decision.wakeAt).toBe(NOW + 1);
  });

  test("forgets what is gone, and nothing else", () => {
    const decision = withClearing({ intents: [] }, object, done, NOW);
    expect(decision.status).toEqual({ phase: "Succeeded", work: { snapshot: { attempt: 1 } } });
  });

  test("warns of what may stay out of sight, when it is deleted", () => {
    const hidden = { ...left, unseen: ["It may stay."] };
    expect(withClearing({ intents: [] }, object, hidden, NOW).events).toEqual([
      { type: "Warning", reason: "CopyMayRemain", message: "It may stay." },
    ]);
    expect(withClearing({ intents: [] }, object, { ...hidden, intents: [] }, NOW).events).toEqual([]);
  });
});
