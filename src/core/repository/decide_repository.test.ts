import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { blocked, refused } from "../reconcile/problem.ts";
import {
  AT,
  failed,
  NOW,
  readyNas,
  repository,
  succeeded,
  taskPlan,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../testing/samples.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import { nextContactAt } from "./contact.ts";
import { decideRepository } from "./decide_repository.ts";
import type { Repository } from "./repository.ts";

const PURPOSE = "connect-1";
const FIRST = { purpose: PURPOSE, outdated: false, again: false };
const STATS = { init: { snapshots: 3, storedBytes: 52_428_800 } };

function decide(object: Repository, state: TaskState, more: Parameters<typeof taskPlan>[2] = {}) {
  const connection = ok(taskPlan(PURPOSE, state, more));
  return decideRepository({ repository: object, contact: FIRST, connection, now: NOW });
}

const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.status?.conditions?.find((one) => one.type === type);

describe("decideRepository()", () => {
  const nothing = { class: "NotARepository", message: "there is no repository", remedy: "Look." } as const;
  const waiting = { phase: "BackingOff", failure: nothing, until: AT } as const;
  test.each<[string, TaskState]>([
    ["for good", failed(nothing)],
    ["for now", waiting],
  ])("where there is none and none may be created, it says what to add: %s", (_, state) => {
    const more = state.phase === "BackingOff" ? { record: { lastFailure: nothing } } : {};
    for (const type of ["Ready", "Connected"]) {
      const condition = conditionOf(decide(repository({ spec: { create: {} } }), state, more), type);
      expect(condition).toMatchObject({
        status: "False",
        reason: "NotARepository",
        message: expect.stringContaining(
          "there is no repository. If the repository is meant to be new, set create.enabled to true",
        ),
      });
      // One that was there once must not be made anew, nor one that is read alone.
      for (const other of [readyNas(), repository({ spec: { access: { readOnly: true } } })])
        expect(conditionOf(decide(other, state, more), type)?.message).toContain("Look.");
    }
  });

  test("a wrong password names the Secret and the key that hold it", () => {
    const wrong = { class: "WrongPassword", message: "wrong password", remedy: "Look." } as const;
    const { name, key } = repository().spec.encryption.passwordSecretRef;
    expect(conditionOf(decide(repository(), failed(wrong)), "Ready")?.message).toContain(
      `under the key ${key} of the Secret ${name}.`,
    );
  });

  test("a repository that was created is ready, with its ID and size", () => {
    const decision = decide(repository(), succeeded(STATS, { repository: { id: "id-9", created: true } }));
    expect(decision.status).toMatchObject({
      phase: "Ready",
      observedGeneration: 1,
      backend: "filesystem",
      uniqueID: "id-9",
      lastContactAt: AT,
      storageStats: { snapshotCount: 3, totalSize: "50Mi", storedBytes: 52_428_800, lastObservedAt: AT },
      work: { [PURPOSE]: { outcome: "Succeeded" } },
    });
    expect(conditionOf(decision, "Connected")).toMatchObject({ status: "True", reason: "Created" });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "Created" });
    expect(decision.events).toMatchObject([{ type: "Normal", reason: "Created" }]);
  });

  test("one that was there is adopted", () => {
    const decision = decide(repository(), succeeded(STATS));
    expect(decision.status).toMatchObject({ phase: "Ready", uniqueID: "id-1" });
    expect(conditionOf(decision, "Connected")).toMatchObject({ status: "True", reason: "ConnectFromConfig" });
  });

  test.each([
    ["is new", repository(), "Initializing"],
    ["was ready", readyNas(), "Ready"],
    ["was ready and is edited", readyNas({ metadata: { generation: 2 } }), "Ready"],
    ["is broken", readyNas({ status: { phase: "Degraded" } }), "Degraded"],
  ])("while it is connected to, one that %s is in phase %3$s", (_, object, phase) => {
    const decision = decide(object, working, { wakeAt: NOW + 7 });
    expect(decision.status?.phase).toBe(phase);
    expect(decision.wakeAt).toBe(NOW + 7);
    expect(conditionOf(decision, "Reconciling")).toMatchObject({ status: "True", reason: "Running" });
  });

  test.each([
    ["never answered", repository(), "Failed"],
    ["answered before", readyNas(), "Degraded"],
  ])("one that %s and is tried again shows why, and when", (_, object, phase) => {
    const until = "2026-05-24T02:14:00Z";
    const decision = decide(object, { phase: "BackingOff", failure: UNREACHABLE, until });
    expect(decision.status).toMatchObject({
      phase,
      failure: { errorClass: "Unreachable", retry: "transient", attempt: 1, at: AT },
    });
    expect(conditionOf(decision, "Ready")).toMatchObject({
      reason: "Unreachable",
      message: `the server does not answer. Check it. The next attempt begins at ${until}.`,
    });
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "Unreachable" }]);
  });

  test("its ID is never forgotten, whatever fails", () => {
    expect(decide(readyNas(), failed(WRONG_PASSWORD)).status?.uniqueID).toBe("id-1");
  });

  test("what only an edit helps against stalls", () => {
    const decision = decide(repository(), failed(WRONG_PASSWORD));
    expect(decision.status).toMatchObject({ phase: "Failed", logTail: "last line" });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ status: "True", reason: "WrongPassword" });
    expect(conditionOf(decision, "Connected")).toMatchObject({ status: "False", reason: "WrongPassword" });
    expect(decision.wakeAt).toBeUndefined();
  });

  test("a pod that is refused shows the reason", () => {
    const state: TaskState = {
      phase: "Working",
      run: "run-1",
      state: {
        phase: "Waiting",
        reason: "SecretMissing",
        message: "Secret creds is missing.",
        class: "structural",
      },
    };
    const decision = decide(repository(), state);
    expect(conditionOf(decision, "Ready")).toMatchObject({
      reason: "SecretMissing",
      message: "Secret creds is missing.",
    });
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "SecretMissing" }]);
  });

  test("an outcome that is recorded is not written again", () => {
    const ended: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
    expect(decide(readyNas(), ended).status).toBeUndefined();
  });

  test("a run of an earlier edition that was ended makes way for the next", () => {
    const ended: TaskState = { phase: "Ended", outcome: "Cancelled", logTail: [], settled: false };
    expect(decide(repository(), ended)).toMatchObject({ status: { phase: "Initializing" }, wakeAt: NOW });
  });

  test.each([
    ["is refused", refused("WorkloadIdentityUnsupported", "m"), "Stalled", undefined],
    ["is blocked", blocked("CABundleMissing", "m"), "Reconciling", NOW + 300_000],
  ])("one that %s says so", (_, problem, type, wakeAt) => {
    const decision = decideRepository({
      repository: repository(),
      contact: FIRST,
      connection: err(problem),
      now: NOW,
    });
    expect(decision).toMatchObject({ status: { phase: "Failed" }, intents: [] });
    expect(decision.wakeAt).toBe(wakeAt);
    expect(conditionOf(decision, type)).toMatchObject({ status: "True", reason: problem.reason });
  });

  describe("one that is asked again", () => {
    const again = { purpose: "connect-1-x", outdated: false, again: true };
    const told = (object: Repository, state: TaskState) =>
      decideRepository({
        repository: object,
        contact: again,
        connection: ok(taskPlan(again.purpose, state)),
        now: NOW,
      });
    const asked = () => {
      const { status = {} } = decide(
        repository(),
        succeeded(STATS, { repository: { id: "id-1", created: true } }),
      );
      return repository({ status });
    };

    test("stays as it was until there is news", () => {
      const before = asked();
      const { status, events = [] } = told(before, working);
      expect(status).toEqual({ ...before.status, work: { [again.purpose]: FIRST_ATTEMPT } });
      expect(events).toEqual([]);
    });

    test("and answers is heard of, without an event", () => {
      const before = asked();
      const { status, events } = told(before, succeeded({ init: { snapshots: 4, storedBytes: 1 } }));
      expect(status).toMatchObject({ phase: "Ready", storageStats: { snapshotCount: 4 } });
      expect(status?.conditions).toEqual(before.status?.conditions);
      expect(events).toEqual([]);
    });

    test("and does not answer is degraded", () => {
      const until = "2026-05-24T02:14:00Z";
      const decision = told(asked(), { phase: "BackingOff", failure: UNREACHABLE, until });
      expect(decision.status?.phase).toBe("Degraded");
      expect(decision.events).toMatchObject([{ type: "Warning", reason: "Unreachable" }]);
    });

    test("says so when its pod cannot start", () => {
      const state = { phase: "Waiting", reason: "SecretMissing", message: "m", class: "structural" } as const;
      const decision = told(asked(), { phase: "Working", run: "run-1", state });
      expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "SecretMissing" });
    });

    test("is looked at when the next contact is due", () => {
      const ended: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
      const object = asked();
      const { wakeAt = 0, status } = told(object, ended);
      expect(status).toBeUndefined();
      expect(wakeAt).toBe(nextContactAt(object));
    });
  });

  test("work of others is kept", () => {
    const decision = decide(readyNas({ status: { work: { other: { attempt: 1 } } } }), working);
    expect(Object.keys(decision.status?.work ?? {})).toEqual(["other", PURPOSE]);
  });
});
