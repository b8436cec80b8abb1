import { describe, expect, test } from "vitest";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { Owner } from "../../wire/snapshot.ts";
import { FOREVER } from "./run_policy.ts";
import { FIRST_ATTEMPT, type RunRecord } from "./run_record.ts";
import type { RunTask } from "./run_request.ts";
import { attemptId } from "./task_requests.ts";
import {
  decide,
  ID,
  iso,
  lost,
  named,
  noted,
  now,
  reported,
  repository,
  restore,
  SECOND,
  SETTLE,
} from "./testing/sample_decisions.ts";
import {
  endedJob,
  failureOfClass,
  JOB_UID,
  observed,
  sampleSnapshot,
  sampleTask,
} from "./testing/samples.ts";

describe("a run that failed", () => {
  test("with something transient is tried again after half a minute", () => {
    const { record, state, intents, wakeAt = 0 } = decide({ record: noted, runs: [reported("Unreachable")] });
    expect(record).toMatchObject({
      attempt: 2,
      step: "Work",
      failures: 1,
      lastFailure: { class: "Unreachable" },
      failedAttempt: 1,
    });
    expect(record).not.toHaveProperty("job");
    expect(record.startedAt).toBe(noted.startedAt);
    expect(wakeAt - now).toBeGreaterThanOrEqual(30_000);
    expect(wakeAt - now).toBeLessThanOrEqual(36_000);
    expect(state).toMatchObject({
      phase: "BackingOff",
      until: iso(wakeAt),
      failure: { class: "Unreachable" },
    });
    expect(intents).toEqual([]);
  });

  describe("on what only its owner may read", () => {
    const owner = { uid: 1000, gid: 2000 };
    const failure = { ...failureOfClass("SourceUnreadable"), owner };
    const unread = reported("SourceUnreadable", { failure });
    const policy = { backoffLimit: 0, canRunAs: ({ uid }: Owner) => uid === 1000 };

    test("is tried again at once as the owner, and does not count", () => {
      const { record, wakeAt } = decide({ record: noted, policy, runs: [unread] });
      expect(record).toMatchObject({ attempt: 2, step: "Work", failures: 0, owner, lastFailure: failure });
      expect(wakeAt).toBe(now);
      const late = decide({ record: { ...noted, failures: 1 }, policy, runs: [unread] });
      expect(late).toMatchObject({ record: { attempt: 2, failures: 1, owner }, wakeAt: now });
    });

    test("is first asked what it left, where it came to the repository", () => {
      const run = reported("SourceUnreadable", { failure, repository });
      const { record, wakeAt } = decide({ record: noted, policy, runs: [run] });
      expect(record).toMatchObject({ attempt: 1, step: "Settle", failures: 0, owner });
      expect(wakeAt).toBe(now);
    });

    test("counts when it fails as the owner, too, or nobody can run as that one", () => {
      const again = decide({ record: { ...noted, owner: { uid: 7, gid: 7 } }, policy, runs: [unread] });
      expect(again.record).toMatchObject({ outcome: "Failed", failures: 1, owner: { uid: 7, gid: 7 } });
      const others = [
        decide({ record: noted, policy: { ...policy, canRunAs: () => false }, runs: [unread] }),
        decide({ record: noted, policy: { backoffLimit: 0 }, runs: [unread] }),
        decide({ record: noted, policy, runs: [reported("SourceUnreadable")] }),
      ];
      for (const { record } of others) {
        expect(record).toMatchObject({ outcome: "Failed", failures: 1 });
        expect(record).not.toHaveProperty("owner");
      }
    });
  });

  test("leaves its log, to be kept before its pod goes", () => {
    expect(decide({ record: noted, runs: [reported("Unreachable")] }).lastLog).toEqual(["end"]);
    expect(decide({ record: noted, runs: [reported("Forbidden", { repository })] }).lastLog).toEqual(["end"]);
    const killed = { ...lost(), report: { logTail: ["last words"] } };
    expect(decide({ record: noted, runs: [killed] }).lastLog).toEqual(["last words"]);
    expect(decide({ record: noted, runs: [reported()] })).not.toHaveProperty("lastLog");
  });

  test("waits out its time, and holds its volumes no longer", () => {
    const until = iso(now + 20_000);
    const record: RunRecord = {
      attempt: 2,
      step: "Work",
      failures: 1,
      notBefore: until,
      lastFailure: failureOfClass("Unreachable"),
    };
    const { intents, state, wakeAt } = decide({ record, runs: [reported("Unreachable")] });
    expect(intents).toMatchObject([{ type: "Remove" }]);
    expect(state).toMatchObject({ phase: "BackingOff", until });
    expect(wakeAt).toBe(now + 20_000);
  });

  test("is followed by a run of another ID", () => {
    const record: RunRecord = { attempt: 2, step: "Work", failures: 1, notBefore: iso(now) };
    expect(decide({ record }).intents).toMatchObject([{ type: "Ensure", request: { id: SECOND } }]);
  });

  test("later attempts do what is meant for them", () => {
    const again = {
      ...restore.work,
      work: { restore: { snapshot: { id: "k1" }, target: "/t", existing: "Overwrite" } },
    } as const;
    const task: RunTask = { ...restore, workAgain: again };
    const first = decide({ task }).intents[0];
    const second = decide({ task, record: { attempt: 2, step: "Work", failures: 1 } }).intents[0];
    expect(first).toMatchObject({ request: { work: restore.work } });
    expect(second).toMatchObject({ request: { work: again } });
  });

  test.each([
    ["transient", "Unreachable", 2, 60],
    ["structural", "Forbidden", 1, 300],
    ["structural", "Forbidden", 2, 300],
  ] as const)("with a %s class (%s), for the %dth time, waits %d s", (_, name, failures, seconds) => {
    const record = { ...noted, failures: failures - 1 };
    const { wakeAt = 0 } = decide({ record, runs: [reported(name)] });
    expect(wakeAt - now).toBeGreaterThanOrEqual(seconds * 1000);
    expect(wakeAt - now).toBeLessThanOrEqual(seconds * 1200);
  });

  test.each(["WrongPassword", "Corrupt", "RepositoryReplaced"] as const)("with %s ends the task", (name) => {
    const { record, state } = decide({ record: noted, runs: [reported(name)] });
    expect(record).toMatchObject({ outcome: "Failed", attempt: 1, failures: 1 });
    expect(state).toMatchObject({ phase: "Ended", outcome: "Failed", result: { failure: { class: name } } });
  });

  /** Seconds until the next attempt of a run, and of what is tried for as long as it is there. */
  const NEXT: Readonly<Record<ErrorClass, readonly [run: number | "never", forever: number | "never"]>> = {
    // The storage, its network or another program had a bad moment, which passes.
    Unreachable: [30, 30],
    Locked: [30, 30],
    Interrupted: [30, 30],
    // Of a mover that nobody here cancelled.
    Cancelled: [30, 30],
    Deadline: [30, 30],
    EngineFailed: [30, 30],
    // Something around the run has to change, and often does without a person: rights, certificates, room on a node.
    UntrustedServer: [300, 300],
    CredentialsMissing: [300, 300],
    Forbidden: [300, 300],
    OutOfMemory: [300, 300],
    NotStarted: [300, 300],
    // It stays as it is until a person acts, who is told at once; what waits for the repository itself looks again.
    NotARepository: ["never", 300],
    BucketMissing: ["never", 300],
    ReadOnly: ["never", 300],
    Full: ["never", 300],
    CacheFull: ["never", 300],
    SourceMissing: ["never", 300],
    // No attempt can end otherwise.
    WrongPassword: ["never", "never"],
    ForeignData: ["never", "never"],
    RepositoryReplaced: ["never", "never"],
    OwnedByAnother: ["never", "never"],
    Corrupt: ["never", "never"],
    SnapshotMissing: ["never", "never"],
    PathMissing: ["never", "never"],
    SourceUnreadable: ["never", "never"],
    PrivilegesNeeded: ["never", "never"],
    TargetFull: ["never", "never"],
    TargetNotWritable: ["never", "never"],
    TargetExists: ["never", "never"],
    Unsupported: ["never", "never"],
    InvalidOption: ["never", "never"],

    EngineMissing: ["never", "never"],
  };

  test.each(
    Object.entries(NEXT).flatMap(([name, [run, forever]]) => [
      [name as ErrorClass, "a run", {}, run] as const,
      [name as ErrorClass, "what is tried forever", FOREVER, forever] as const,
    ]),
  )("by %s, of %s, is followed by the next after the time for it", (name, _, policy, wanted) => {
    const { record, state, wakeAt = 0 } = decide({ policy, record: noted, runs: [reported(name)] });
    if (wanted === "never") {
      expect(record).toMatchObject({ outcome: "Failed", attempt: 1, failures: 1 });
      expect(state).toMatchObject({
        phase: "Ended",
        outcome: "Failed",
        result: { failure: { class: name } },
      });
      return;
    }
    expect(record.outcome).toBeUndefined();
    expect(record.attempt).toBe(2);
    expect(wakeAt - now).toBeGreaterThanOrEqual(wanted * 1000);
    expect(wakeAt - now).toBeLessThanOrEqual(wanted * 1200);
  });

  test.each([
    [{}, 2, undefined],
    [{}, 3, "Failed"],
    [{ backoffLimit: 0 }, 1, "Failed"],
    [{ backoffLimit: 5 }, 5, undefined],
    [{ backoffLimit: 5 }, 6, "Failed"],
  ] as const)("under %j, for the %dth time, leads to %s", (policy, failures, outcome) => {
    const record = { ...noted, attempt: failures, failures: failures - 1 };
    const id = attemptId(sampleTask, failures);
    const decision = decide({ policy, record, runs: [reported("Unreachable", {}, id)] });
    expect(decision.record.outcome).toBe(outcome);
  });

  test.each([
    [1, 30],
    [3, 120],
    [9, 240],
  ])(
    "behind another's lock is no failure, and after attempt %d waits %d s, for as long as there is time",
    (attempt, seconds) => {
      const record = { ...noted, attempt, failures: 2 };
      const runs = [reported("Locked", {}, attemptId(sampleTask, attempt))];
      const { record: after, wakeAt = 0, state } = decide({ record, runs });
      expect(after).toMatchObject({ attempt: attempt + 1, failures: 2, lastFailure: { class: "Locked" } });
      expect(after.outcome).toBeUndefined();
      expect(state).toMatchObject({ phase: "BackingOff", failure: { class: "Locked" } });
      expect(wakeAt - now).toBeGreaterThanOrEqual(seconds * 1000);
      expect(wakeAt - now).toBeLessThanOrEqual(seconds * 1200);
      const policy = { backoffLimit: 0, activeDeadlineSeconds: 600 };
      const late = { ...record, startedAt: iso(now - 590_000) };
      expect(decide({ policy, record: late, runs }).record.outcome).toBe("Failed");
    },
  );

  test("behind another's lock has as many failures left as before", () => {
    const record = { ...noted, failures: 0 };
    const { record: locked } = decide({ policy: { backoffLimit: 0 }, record, runs: [reported("Locked")] });
    expect(locked).toMatchObject({ failures: 0, attempt: 2 });
    expect(locked.outcome).toBeUndefined();
  });

  test("is not tried again when the time for it would be over", () => {
    const record = { ...noted, startedAt: iso(now - 590_000) };
    const policy = { activeDeadlineSeconds: 600 };
    expect(decide({ policy, record, runs: [reported("Unreachable")] }).record.outcome).toBe("Failed");
    expect(decide({ record, runs: [reported("Unreachable")] }).record.outcome).toBeUndefined();
  });

  test("fails for good when its time passed while it was held back", () => {
    const record: RunRecord = {
      attempt: 2,
      step: "Work",
      failures: 1,
      startedAt: iso(now - 601_000),
      lastFailure: failureOfClass("Unreachable"),
    };
    const { state } = decide({ record, policy: { activeDeadlineSeconds: 600 } });
    expect(state).toMatchObject({
      outcome: "Failed",
      result: {
        failure: {
          class: "Deadline",
          message: "The time for the work was over before it succeeded: failed: Unreachable",
        },
      },
    });
  });

  test("was interrupted by the cluster, and is tried again", () => {
    const { record } = decide({ task: restore, record: noted, runs: [lost(attemptId(restore, 1))] });
    expect(record).toMatchObject({
      attempt: 2,
      step: "Work",
      failures: 1,
      lastFailure: { class: "Interrupted" },
    });
  });
});

describe("what an attempt left in the repository", () => {
  test("is asked for at once when its report was lost", () => {
    const { record, state, intents, wakeAt } = decide({ record: noted, runs: [lost()] });
    expect(record).toMatchObject({ attempt: 1, step: "Settle", side: 1, failures: 1, reported: false });
    expect(record).not.toHaveProperty("job");
    expect(state).toMatchObject({ phase: "Settling", run: SETTLE, about: ID });
    expect(intents).toEqual([]);
    expect(wakeAt).toBe(now);
  });

  test("is asked for when its Job was deleted by somebody", () => {
    expect(decide({ record: noted }).record).toMatchObject({
      step: "Settle",
      lastFailure: { class: "Interrupted", message: "The run's Job was deleted before its end was seen" },
    });
  });

  test("may come late, where nobody saw the mover end", () => {
    const gone = observed({ job: endedJob("BackoffLimitExceeded") });
    expect(decide({ record: noted, runs: [gone] }).record.unseen).toEqual([ID]);
    expect(decide({ record: noted }).record.unseen).toEqual([ID]);
    const again = { ...noted, attempt: 2, unseen: [ID] };
    const second = observed({ job: named(SECOND, endedJob("BackoffLimitExceeded")) }, SECOND);
    expect(decide({ record: again, runs: [second] }).record.unseen).toEqual([ID, SECOND]);
    for (const run of [lost(), reported("Forbidden", { repository }), reported()])
      expect(decide({ record: noted, runs: [run] }).record).not.toHaveProperty("unseen");
  });

  test("is asked for though no attempt is left: the truth counts", () => {
    const { record } = decide({ record: noted, policy: { backoffLimit: 0 }, runs: [lost()] });
    expect(record).toMatchObject({ step: "Settle" });
    expect(record.outcome).toBeUndefined();
  });

  test("is asked for before the next attempt when it is said to have failed half-way", () => {
    const { record, wakeAt = 0 } = decide({ record: noted, runs: [reported("Forbidden", { repository })] });
    expect(record).toMatchObject({ attempt: 1, step: "Settle", reported: true, notBefore: iso(wakeAt) });
    expect(wakeAt - now).toBeGreaterThanOrEqual(300_000);
  });

  test("is noted when it is said to have failed and nothing is tried again", () => {
    const runs = [reported("Corrupt", { repository })];
    expect(decide({ record: noted, runs }).record).toMatchObject({ outcome: "Failed", leftovers: [ID] });
  });

  test("is nothing when the repository was never opened", () => {
    expect(decide({ record: noted, runs: [reported("Unreachable")] }).record.step).toBe("Work");
  });

  test("is looked up by the run's tag, without any volume", () => {
    const record: RunRecord = { ...FIRST_ATTEMPT, step: "Settle", side: 1, failures: 1 };
    const { intents, state } = decide({ record, runs: [lost()] });
    expect(intents).toMatchObject([
      { type: "Remove" },
      {
        type: "Ensure",
        request: {
          id: SETTLE,
          owner: sampleTask.owner,
          secrets: sampleTask.secrets,
          repositoryVolume: sampleTask.repositoryVolume,
          work: { engine: "kopia", work: { catalog: { filter: { run: ID } } } },
        },
      },
    ]);
    expect(intents[1]).not.toHaveProperty("request.volumes");
    expect(state).toMatchObject({ phase: "Settling", run: SETTLE, about: ID });
  });
});

describe("the end of an attempt at a repository that is known", () => {
  const task: RunTask = { ...sampleTask, pool: "p" };
  const place = { pool: "p", rank: 1, tenant: "shop/data", since: iso(now - 60_000), seated: true };
  const seated: RunRecord = { ...noted, place };

  test("gives its seat back", () => {
    expect(decide({ task, record: seated, runs: [reported()] }).record).not.toHaveProperty("place");
    const failed = decide({ task, record: seated, runs: [reported("Unreachable")] });
    expect(failed.record).not.toHaveProperty("place");
    expect(decide({ task, record: seated, runs: [lost()] }).record).not.toHaveProperty("place");
  });

  test("says whether the storage could be used, and how often in a row it could not", () => {
    const good = decide({ task, record: seated, runs: [reported()] });
    expect(good.record.contact).toEqual({ pool: "p", at: iso(now) });
    const once = decide({ task, record: seated, runs: [reported("Unreachable")] });
    expect(once.record.contact).toEqual({ pool: "p", at: iso(now), failure: "Unreachable", setbacks: 1 });
    const again = { ...seated, contact: once.record.contact } as RunRecord;
    expect(decide({ task, record: again, runs: [reported("Forbidden")] }).record.contact).toMatchObject({
      failure: "Forbidden",
      setbacks: 2,
    });
  });

  test("says nothing of the storage where something else failed", () => {
    for (const one of [reported("SourceUnreadable"), reported("OutOfMemory"), lost()])
      expect(decide({ task, record: seated, runs: [one] }).record).not.toHaveProperty("contact");
  });

  test("of a probe is not held against it, however often and in whatever way the storage fails", () => {
    const record = { ...seated, failures: 2, place: { ...place, probe: true } };
    for (const failure of ["Unreachable", "WrongPassword"] as const) {
      const { record: after, state } = decide({ task, record, runs: [reported(failure)] });
      expect(after).toMatchObject({ attempt: 2, failures: 2, contact: { setbacks: 1 } });
      expect(state.phase).toBe("BackingOff");
    }
    const other = decide({ task, record, runs: [reported("SourceMissing")] });
    expect(other.record).toMatchObject({ failures: 3, outcome: "Failed" });
  });
});

describe("a success of which only the termination message is left", () => {
  const work = sampleTask.work.work;
  const [source] = "snapshot" in work ? work.snapshot.sources : [];
  if (!source) throw new Error("the sample task has no source");
  const sources = [source, { ...source, name: "logs" }];
  const task: RunTask = { ...sampleTask, work: { ...sampleTask.work, work: { snapshot: { sources } } } };
  const id = attemptId(task, 1);
  const snapshots = sources.map(({ name }) => ({
    source: name,
    snapshot: sampleSnapshot(),
    unchanged: false,
    losses: [],
    unreadable: [],
  }));
  const told = (more: object) => decide({ task, record: noted, runs: [reported(undefined, more, id)] });

  test.each([
    ["some of the snapshots", { answer: { snapshot: { snapshots: snapshots.slice(0, 1) } } }],
    ["none of the snapshots", { answer: { snapshot: { snapshots: [] } } }],
    ["nothing", {}],
  ])("with %s is asked of the repository", (_, more) => {
    const { record, state, lastLog } = told({ repository, shortened: true, ...more });
    expect(record).toMatchObject({ attempt: 1, step: "Settle", failures: 0 });
    expect(record.outcome).toBeUndefined();
    expect(state).toMatchObject({ phase: "Settling", about: id });
    expect(lastLog).toEqual(["end"]);
  });

  test("with all of the snapshots is one", () => {
    const { record, state } = told({ repository, shortened: true, answer: { snapshot: { snapshots } } });
    expect(record.outcome).toBe("Succeeded");
    expect(state).toMatchObject({ phase: "Ended", result: { answer: { snapshot: { snapshots } } } });
  });

  describe("where a source may refer to an earlier snapshot, which the repository would not find for it,", () => {
    const logs = { ...source.identity, path: "/logs" };
    const changing = [source, { ...source, name: "logs", identity: logs }];
    const work = { snapshot: { sources: changing, skipIdentical: true } };
    const referring: RunTask = { ...task, work: { ...task.work, work } };
    const heard = (count: number) => {
      const answer = { snapshot: { snapshots: snapshots.slice(0, count) } };
      const runs = [reported(undefined, { repository, shortened: true, answer }, id)];
      return decide({ task: referring, record: noted, runs });
    };
    const asked = (found: readonly object[], policy = {}) => {
      const record = { ...heard(1).record, job: JOB_UID };
      const answer = { catalog: { stats: { snapshots: 5 }, found: found.length, snapshots: found } };
      const runs = [reported(undefined, { answer }, SETTLE)];
      return decide({ task: referring, policy, record, runs });
    };

    test("failed, and what it left is asked for", () => {
      const { record, state, lastLog } = heard(1);
      expect(record).toMatchObject({ attempt: 1, step: "Settle", failures: 1, reported: false });
      expect(record.lastFailure).toMatchObject({
        class: "Interrupted",
        message: "The run's answer was cut short",
      });
      expect(record.outcome).toBeUndefined();
      expect(state).toMatchObject({ phase: "Settling", about: id });
      expect(lastLog).toEqual(["end"]);
    });

    test("is followed by another one, once what it made is deleted, as often as it may fail", () => {
      const made = [sampleSnapshot()];
      expect(asked(made).record).toMatchObject({ attempt: 1, step: "CleanUp", failures: 1 });
      expect(asked([]).record).toMatchObject({ attempt: 2, step: "Work", failures: 1 });
      expect(asked(made, { backoffLimit: 0 }).record).toMatchObject({ outcome: "Failed", leftovers: [id] });
    });

    test("is one if all of the snapshots are its own, or told", () => {
      expect(asked([sampleSnapshot(), sampleSnapshot({ id: "k2", identity: logs })]).record.outcome).toBe(
        "Succeeded",
      );
      expect(heard(2).record.outcome).toBe("Succeeded");
    });
  });

  test("is one where other work lost its details", () => {
    const runs = [reported(undefined, { shortened: true }, attemptId(restore, 1))];
    expect(decide({ task: restore, record: noted, runs }).record.outcome).toBe("Succeeded");
  });
});
