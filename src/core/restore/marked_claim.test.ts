import { describe, expect, test } from "vitest";
import type { Decision } from "../reconcile/decision.ts";
import { AT, NOW } from "../testing/samples.ts";
import { halfWritten, TARGET_INCOMPLETE } from "../volumes/half_written.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import { markedClaim } from "./marked_claim.ts";
import type { Restore, RestoreState } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { existing, inPlace } from "./testing/in_place_samples.ts";
import { RESTORES, restore } from "./testing/restore_samples.ts";

const OWN = `restore/again ${AT} uid-again`;
const OTHERS = `restore/before ${AT} uid-before`;
const LATER = "2027-01-01T00:00:00Z";

const broken = {
  type: "TargetIncomplete",
  status: "True",
  reason: "RestoreBrokenOff",
  message: "",
  lastTransitionTime: AT,
} as const;
const target = { pvcRef: { name: "data", uid: "uid-data" } };
const state = (phase: string, more: object = {}) => ({ phase, target, ...more }) as RestoreState;
const completed = (more: object = {}) => state("Completed", { timing: { endTime: LATER }, ...more });
const writing = { work: { [RESTORE]: { ...FIRST_ATTEMPT, startedAt: AT } } };

/** The annotation as it is to be, `null` for none; undefined where nothing is done about it. */
function mark(one: Restore, status: RestoreState, present?: string, claim: object = {}): unknown {
  const annotations = present === undefined ? {} : { [TARGET_INCOMPLETE]: present };
  const decision: Decision<RestoreState> = { status, intents: [] };
  const observed = { restore: one, api: RESTORES, now: NOW, claim: existing({}, { annotations, ...claim }) };
  const [intent] = markedClaim(observed, decision).intents;
  return intent?.type === "MarkClaim" ? intent.annotations[TARGET_INCOMPLETE] : undefined;
}

const of = (options: object): Restore => {
  const whole = inPlace();
  return { ...whole, spec: { ...whole.spec, options: { ...whole.spec.options, ...options } } };
};

describe("markedClaim()", () => {
  test.each<[string, RestoreState, string | undefined, unknown]>([
    [
      "begins to write",
      state("Restoring", writing),
      undefined,
      expect.stringMatching(/^restore\/again .*Z uid-again$/),
    ],
    [
      "has failed halfway",
      state("Failed", { conditions: [broken] }),
      undefined,
      expect.stringContaining("uid-again"),
    ],
    ["has failed halfway, and said so", state("Failed", { conditions: [broken] }), OWN, undefined],
    ["has failed halfway after another one", state("Failed", { conditions: [broken] }), OTHERS, undefined],
    ["is tried again", state("Pending", { conditions: [broken] }), OWN, undefined],
    ["waits, and began before", state("Pending"), OWN, undefined],
    ["has not begun", state("Pending"), undefined, undefined],
    ["has failed before it wrote", state("Failed"), undefined, undefined],
    ["has failed before it wrote, and began", state("Failed"), OWN, null],
    ["has failed after another one", state("Failed"), OTHERS, undefined],
    ["is acknowledged", state("Failed", { conditions: [{ ...broken, status: "False" }] }), OWN, null],
    ["has completed", completed(), OWN, null],
    ["has completed after another one", completed(), OTHERS, null],
    [
      "had completed before another one",
      completed({ timing: { endTime: "2026-01-01T00:00:00Z" } }),
      OTHERS,
      undefined,
    ],
    ["found no snapshot", completed({ resolved: { noSnapshot: true } }), OTHERS, undefined],
    [
      "wrote an earlier claim of the name",
      state("Failed", { conditions: [broken], target: { pvcRef: { name: "data", uid: "u" } } }),
      undefined,
      undefined,
    ],
  ])("a restore that %s", (_, status, present, wanted) => {
    expect(mark(inPlace(), status, present)).toEqual(wanted);
  });

  test.each<[string, object]>([
    ["one folder", { path: "letters" }],
    ["what is not there", { existingFiles: "Keep" }],
  ])("a restore of %s makes no volume whole", (_, options) => {
    expect(mark(of(options), completed(), OTHERS)).toBeUndefined();
    expect(mark(of(options), completed(), OWN)).toBeNull();
  });

  test("nothing is said of a claim that is made for the restore, or goes", () => {
    const failed = state("Failed", { conditions: [broken] });
    expect(mark(restore(), failed)).toBeUndefined();
    expect(mark(inPlace(), failed, undefined, { deletionTimestamp: AT })).toBeUndefined();
  });
});

test("halfWritten(): what a claim says, whoever wrote it", () => {
  const says = (text: string) => halfWritten(existing({}, { annotations: { [TARGET_INCOMPLETE]: text } }));
  expect(says(OWN)).toEqual({ by: "restore/again", since: AT, uid: "uid-again" });
  expect(says("")).toEqual({ by: "", since: "", uid: "" });
  expect(halfWritten(existing())).toBeUndefined();
});
