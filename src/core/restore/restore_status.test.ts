import { expect, test } from "vitest";
import { REPORT_VERSION } from "../../wire/report.ts";
import { AT, NOW, taskPlan } from "../testing/samples.ts";
import type { EndedTask } from "../work/task_decision.ts";
import type { RestoreState } from "./restore.ts";
import { endOfRestore, restoreConditions, restoreFields } from "./restore_status.ts";
import { RESTORES, restore } from "./testing/restore_samples.ts";

test.each([
  ["Cancelled", /^The restore was cancelled\./],
  ["Failed", /^The restore has failed\. Edit it to have it tried again; or create another one\.$/],
] as const)("a restore of which only the outcome %s is known says no more than that", (outcome, message) => {
  const readyState = endOfRestore({ phase: "Ended", outcome, logTail: [], settled: false }, RESTORES.words);
  expect(readyState).toMatchObject({
    state: "stalled",
    reason: outcome,
    message: expect.stringMatching(message),
  });
});

test("a restore that was done otherwise than asked says so when it has ended", () => {
  const result = { version: REPORT_VERSION, run: "r", startedAt: AT, endedAt: AT };
  const ended: EndedTask = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: true, result };
  expect(endOfRestore(ended, RESTORES.words)).toMatchObject({
    message: "The data was restored.",
    warning: false,
  });
  const warned = { ...ended, result: { ...result, warnings: ["It was written in place."] } };
  const message = "The data was restored. It was written in place.";
  expect(endOfRestore(warned, RESTORES.words)).toMatchObject({ state: "ready", message, warning: true });
});

const { words } = RESTORES;
const said = (status: Pick<RestoreState, "resolved" | "losses">) =>
  restoreConditions(status, words).map(({ type, reason }) => `${type} ${reason}`);
const loss = (kind: string) => ({ kind, count: 2, reason: "not root" });

test.each<[string, Pick<RestoreState, "resolved" | "losses">, readonly string[]]>([
  ["nothing before it is decided", {}, []],
  ["what is restored", { resolved: { snapshotID: "k1", pinnedAt: AT } }, ["SourceResolved Resolved"]],
  ["that there is nothing", { resolved: { noSnapshot: true, pinnedAt: AT } }, ["SourceResolved NoSnapshot"]],
  ["that owners differ", { losses: [loss("Owner"), loss("Mode")] }, ["PermissionsDiffer NotPermitted"]],
  ["nothing of other losses", { losses: [loss("Time")] }, []],
])("%s is said", (_, status, conditions) => {
  expect(said(status)).toEqual(conditions);
});

test("the message counts, and says what helps", () => {
  const [condition] = restoreConditions({ losses: [loss("Owner"), loss("Mode")] }, words);
  expect(condition?.message).toBe(
    "4 owners or modes could not be set as they were; see its losses. A mover with privileges can set them.",
  );
});

test.each([
  ["Succeeded", "Completed"],
  ["Failed", "Failed"],
  ["Cancelled", "Failed"],
] as const)("a run that ended as %s makes a restore %s, whatever else is known of it", (outcome, phase) => {
  const ended: EndedTask = { phase: "Ended", outcome, logTail: [], settled: false };
  const fields = restoreFields(
    { restore: restore(), now: NOW },
    taskPlan("restore", ended, { record: { outcome } }),
  );
  expect(fields.phase).toBe(phase);
});
