import { describe, expect, test } from "vitest";
import type { RunState } from "../../../core/work/run_state.ts";
import type { EndedTask, TaskState } from "../../../core/work/task_decision.ts";
import { DATA_PATH_PHASES, type DataPathPhase, isFinal } from "../../../kinds/velero/phases.ts";
import type { Result } from "../../../wire/report.ts";
import { type DataPathView, nextPhase, prepareDeadline, type Readiness } from "./next_phase.ts";
import type { PodVolume, PodVolumeStatus } from "./pod_volume.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const AT = "2026-01-01T12:00:00Z";
const EARLIER = "2026-01-01T11:50:00Z";

const working = (state: RunState): TaskState => ({ phase: "Working", run: "r1", state });
const PREPARING = working({ phase: "Preparing", suspended: false });
const PREPARED = working({ phase: "Prepared", pod: "p", logTail: [] });
const running = (bytes: number, estimatedBytes?: number): TaskState =>
  working({
    phase: "Running",
    pod: "p",
    logTail: [],
    terminating: false,
    progress: {
      version: 1,
      step: "snapshot",
      bytes,
      ...(estimatedBytes === undefined ? {} : { estimatedBytes }),
    },
  });
const result: Result = { version: 1, run: "r1", startedAt: EARLIER, endedAt: AT };
const ended = (outcome: EndedTask["outcome"], more: Partial<Result> = {}): TaskState => ({
  phase: "Ended",
  outcome,
  result: { ...result, ...more },
  logTail: [],
  settled: false,
});
const snapshot = {
  id: "abc",
  identity: { username: "u", hostname: "h", path: "p" },
  tags: {},
  startedAt: AT,
};
const made = (more: object = {}, losses: readonly object[] = []): TaskState =>
  ended("Succeeded", {
    answer: {
      snapshot: {
        snapshots: [
          {
            source: "data",
            snapshot: { ...snapshot, fidelity: "Engine", bytes: 7, ...more },
            unchanged: false,
            addedBytes: 3,
            losses: losses as never,
            unreadable: [],
          },
        ],
      },
    },
  });
const restored = ended("Succeeded", {
  answer: {
    restore: {
      snapshot: { ...snapshot, fidelity: "Engine", root: "k" },
      files: 1,
      bytes: 7,
      fidelity: "Engine",
      losses: [],
    },
  },
});
const failed = ended("Failed", {
  failure: { class: "StorageUnreachable", message: "no answer", remedy: "Check the network." } as never,
});
const cancelled = ended("Cancelled", {
  failure: { class: "Cancelled", message: "told to end", remedy: "None." } as never,
});
const READY: Readiness = { type: "Ready", node: "n1" };

interface Row extends Partial<Omit<DataPathView, "object">> {
  readonly name: string;
  readonly phase: DataPathPhase | undefined;
  readonly cancel?: true;
  readonly deleted?: true;
  readonly status?: PodVolumeStatus;
  readonly becomes: PodVolumeStatus;
  readonly more?: object;
}

const rows: readonly Row[] = [
  {
    name: "is accepted once everything is ready",
    phase: undefined,
    readiness: READY,
    status: { message: "waits", progress: {} },
    becomes: { phase: "Accepted", acceptedTimestamp: AT, progress: {} },
    more: { held: true, exposing: true },
  },
  {
    name: "says what it waits for",
    phase: "New",
    readiness: { type: "Wait", message: "no slot" },
    becomes: { phase: "New", message: "no slot" },
    more: { held: false, exposing: false },
  },
  {
    name: "fails when it has waited too long",
    phase: "New",
    readiness: { type: "Wait", message: "BackupRepository is not ready.", until: NOW },
    becomes: {
      phase: "Failed",
      completionTimestamp: AT,
      message: "Timed out: BackupRepository is not ready.",
    },
  },
  {
    name: "fails on what can never be",
    phase: undefined,
    readiness: { type: "Refuse", message: "no such volume" },
    becomes: { phase: "Failed", completionTimestamp: AT, message: "no such volume" },
  },
  {
    name: "is canceled before it is accepted",
    phase: undefined,
    cancel: true,
    readiness: READY,
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "Canceled before it was accepted." },
  },
  {
    name: "keeps why a server cancels it",
    phase: "New",
    cancel: true,
    status: { message: "the server restarted" },
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "the server restarted" },
  },
  {
    name: "does not take its own words for a server's",
    phase: "New",
    cancel: true,
    status: { message: "no slot" },
    memory: { said: "no slot" },
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "Canceled before it was accepted." },
  },
  {
    name: "is canceled by its deletion",
    phase: "Accepted",
    deleted: true,
    status: { acceptedTimestamp: EARLIER },
    becomes: {
      phase: "Canceled",
      acceptedTimestamp: EARLIER,
      completionTimestamp: AT,
      message: "Canceled before it started.",
    },
    more: { endRuns: true },
  },
  {
    name: "waits for its pod",
    phase: "Accepted",
    status: { acceptedTimestamp: EARLIER },
    task: PREPARING,
    becomes: {
      phase: "Accepted",
      acceptedTimestamp: EARLIER,
      message: "Waiting for the mover pod to start.",
    },
    more: { held: true, exposing: true, wakeAt: Date.parse("2026-01-01T12:20:00Z") },
  },
  {
    name: "fails when its pod is not prepared in time",
    phase: "Accepted",
    status: { acceptedTimestamp: "2026-01-01T11:30:00Z" },
    task: PREPARING,
    becomes: {
      phase: "Failed",
      acceptedTimestamp: "2026-01-01T11:30:00Z",
      completionTimestamp: AT,
      message: "Timed out on preparing the mover pod: Waiting for the mover pod to start.",
    },
    more: { endRuns: true, exposing: false },
  },
  {
    name: "is prepared",
    phase: "Accepted",
    status: { acceptedTimestamp: EARLIER, message: "waits" },
    task: PREPARED,
    becomes: { phase: "Prepared", acceptedTimestamp: EARLIER },
    more: { held: true, exposing: true },
  },
  {
    name: "starts",
    phase: "Prepared",
    status: { acceptedTimestamp: EARLIER },
    task: PREPARED,
    becomes: { phase: "InProgress", acceptedTimestamp: EARLIER, startTimestamp: AT },
    more: { held: true, exposing: false },
  },
  {
    name: "goes on where an operator died that had told its mover to start",
    phase: "Prepared",
    status: { acceptedTimestamp: EARLIER },
    task: running(1),
    becomes: { phase: "InProgress", acceptedTimestamp: EARLIER, startTimestamp: AT },
  },
  {
    name: "is canceled before it starts",
    phase: "Prepared",
    cancel: true,
    task: PREPARED,
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "Canceled before it started." },
    more: { endRuns: true },
  },
  {
    name: "fails with its mover before it starts",
    phase: "Prepared",
    task: failed,
    becomes: { phase: "Failed", completionTimestamp: AT, message: "no answer. Check the network." },
  },
  {
    name: "shows its progress",
    phase: "InProgress",
    task: running(5, 9),
    becomes: { phase: "InProgress", progress: { bytesDone: 5, totalBytes: 9 } },
    more: { progressAt: AT, held: true },
  },
  {
    name: "never shows more than all",
    phase: "InProgress",
    task: running(11, 9),
    becomes: { phase: "InProgress", progress: { bytesDone: 11, totalBytes: 11 } },
  },
  {
    name: "is not written for every byte",
    phase: "InProgress",
    status: { progress: { bytesDone: 1, totalBytes: 9 } },
    memory: { progressAt: "2026-01-01T11:59:55Z" },
    task: running(5, 9),
    becomes: { phase: "InProgress", progress: { bytesDone: 1, totalBytes: 9 } },
    more: { progressAt: "2026-01-01T11:59:55Z" },
  },
  {
    name: "says why it is tried again",
    phase: "InProgress",
    task: {
      phase: "BackingOff",
      failure: { class: "StorageUnreachable", message: "no answer", remedy: "Wait." } as never,
      until: AT,
    },
    becomes: {
      phase: "InProgress",
      message: `no answer. Wait. The next attempt begins at ${AT}.`,
    },
  },
  {
    name: "fails with its mover",
    phase: "InProgress",
    task: failed,
    becomes: { phase: "Failed", completionTimestamp: AT, message: "no answer. Check the network." },
    more: { endRuns: true },
  },
  {
    name: "fails when its mover ends though nobody asked for it",
    phase: "InProgress",
    task: cancelled,
    becomes: { phase: "Failed", completionTimestamp: AT, message: "told to end. None." },
  },
  {
    name: "says why its run cannot be looked at",
    phase: "InProgress",
    stranded: "There is no location.",
    becomes: { phase: "InProgress", message: "There is no location." },
    more: { strandedSince: AT, wakeAt: NOW + 600_000, held: true },
  },
  {
    name: "fails when its run could not be looked at for too long",
    phase: "InProgress",
    stranded: "There is no location.",
    memory: { strandedSince: EARLIER },
    becomes: { phase: "Failed", completionTimestamp: AT, message: "Timed out: There is no location." },
    more: { endRuns: true },
  },
  {
    name: "waits for the node of its mover to answer",
    phase: "InProgress",
    task: { phase: "Held", reason: "NodeSilent", message: "Its node is silent." },
    becomes: { phase: "InProgress", message: "Its node is silent." },
    more: { strandedSince: AT, wakeAt: NOW + 600_000, held: true },
  },
  {
    name: "fails when the node of its mover was silent for too long",
    phase: "InProgress",
    task: { phase: "Held", reason: "NodeSilent", message: "Its node is silent." },
    memory: { strandedSince: EARLIER },
    becomes: { phase: "Failed", completionTimestamp: AT, message: "Timed out: Its node is silent." },
    more: { endRuns: true },
  },
  {
    name: "waits as long as it takes for what holds its mover back otherwise",
    phase: "InProgress",
    task: { phase: "Held", reason: "PodStillThere", message: "Another pod is there." },
    memory: { strandedSince: EARLIER },
    becomes: { phase: "InProgress", message: "Another pod is there." },
  },
  {
    name: "is canceled also while its run cannot be looked at",
    phase: "InProgress",
    cancel: true,
    stranded: "There is no location.",
    memory: { strandedSince: EARLIER },
    becomes: { phase: "Canceling" },
    more: { cancelingSince: AT },
  },
  {
    name: "says why its run cannot be looked at",
    phase: "Accepted",
    status: { acceptedTimestamp: EARLIER },
    stranded: "There is no location.",
    becomes: { phase: "Accepted", acceptedTimestamp: EARLIER, message: "There is no location." },
    more: { held: true },
  },
  {
    name: "fails when its run may not go on",
    phase: "Prepared",
    forbidden: "Not allowed.",
    becomes: { phase: "Failed", completionTimestamp: AT, message: "Not allowed." },
    more: { endRuns: true },
  },
  {
    name: "tells its mover to end",
    phase: "InProgress",
    cancel: true,
    task: running(5, 9),
    becomes: { phase: "Canceling", progress: { bytesDone: 5, totalBytes: 9 } },
    more: { cancelingSince: AT, held: true, wakeAt: NOW + 300_000 },
  },
  {
    name: "waits for its mover to end",
    phase: "Canceling",
    cancel: true,
    memory: { cancelingSince: "2026-01-01T11:59:00Z" },
    task: running(5, 9),
    becomes: { phase: "Canceling", progress: { bytesDone: 5, totalBytes: 9 } },
    more: { cancelingSince: "2026-01-01T11:59:00Z" },
  },
  {
    name: "is canceled when its mover has ended",
    phase: "Canceling",
    cancel: true,
    task: cancelled,
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "Canceled." },
    more: { endRuns: true },
  },
  {
    name: "is canceled without its mover's word in the end",
    phase: "Canceling",
    cancel: true,
    memory: { cancelingSince: "2026-01-01T11:55:00Z" },
    task: running(5, 9),
    becomes: {
      phase: "Canceled",
      completionTimestamp: AT,
      message: "Canceled. The mover did not say how it ended, and its Job was deleted.",
    },
    more: { endRuns: true },
  },
  {
    name: "is canceled though nothing is known of its run",
    phase: "InProgress",
    cancel: true,
    becomes: { phase: "Canceling" },
    more: { cancelingSince: AT, wakeAt: NOW + 300_000 },
  },
  {
    name: "ends by its deletion, once its mover has let go",
    phase: "InProgress",
    deleted: true,
    task: running(5, 9),
    becomes: { phase: "Canceling", progress: { bytesDone: 5, totalBytes: 9 } },
    more: { held: true },
  },
  {
    name: "keeps why a server that started anew cancels it",
    phase: "Canceling",
    cancel: true,
    status: { message: "a server started" },
    task: cancelled,
    becomes: { phase: "Canceled", completionTimestamp: AT, message: "a server started" },
  },
  {
    name: "fails when nobody has prepared it in time",
    phase: "Prepared",
    status: { acceptedTimestamp: "2026-01-01T11:30:00Z" },
    becomes: {
      phase: "Failed",
      acceptedTimestamp: "2026-01-01T11:30:00Z",
      completionTimestamp: AT,
      message: "Timed out on preparing the mover pod: it was not created.",
    },
  },
  {
    name: "fails when its mover is lost without a report",
    phase: "InProgress",
    task: { phase: "Ended", outcome: "Failed", logTail: [], settled: true },
    becomes: {
      phase: "Failed",
      completionTimestamp: AT,
      message: "The mover failed, and its report is lost.",
    },
  },
  {
    name: "fails when its mover fails while it is told to end",
    phase: "Canceling",
    cancel: true,
    task: failed,
    becomes: { phase: "Failed", completionTimestamp: AT, message: "no answer. Check the network." },
  },
];

function objectOf(object: PodVolume, { phase, cancel, deleted, status }: Row): PodVolume {
  return {
    ...object,
    metadata: { ...object.metadata, ...(deleted ? { deletionTimestamp: AT } : {}) },
    spec: { ...object.spec, ...(cancel ? { cancel } : {}) },
    status: { ...status, ...(phase ? { phase } : {}) },
  } as PodVolume;
}

describe.each([
  ["PodVolumeBackup", sampleBackup, {}],
  ["PodVolumeRestore", sampleRestore, { node: "n1" }],
] as const)("a %s", (_, sample, node) => {
  test.each(rows)("$phase: $name", (row) => {
    const next = nextPhase({ ...row, object: objectOf(sample, row), now: NOW });
    const accepted = row.becomes.phase === "Accepted" && row.phase === undefined ? node : {};
    expect(next.status).toEqual({ ...row.becomes, ...accepted });
    expect(next).toMatchObject(row.more ?? {});
    // A server counts each write of what has ended.
    if (isFinal(row.becomes.phase)) expect(next.held).toBe(false);
  });

  test.each(DATA_PATH_PHASES.filter(isFinal))("%s stays as it is, and lets go", (phase) => {
    const status = { phase, message: "m" };
    const object = { ...sample, spec: { ...sample.spec, cancel: true }, status } as PodVolume;
    expect(nextPhase({ object, now: NOW, task: failed })).toEqual({ status, held: false, exposing: false });
  });

  test.each(DATA_PATH_PHASES)("%s with a cancel comes to a final phase, whatever its run does", (phase) => {
    let object = { ...sample, spec: { ...sample.spec, cancel: true }, status: { phase } } as PodVolume;
    let memory = {};
    let now = NOW;
    for (let turn = 0; turn < 4 && !isFinal(object.status?.phase); turn++, now += 600_000) {
      const { status, cancelingSince } = nextPhase({ object, memory, now, task: PREPARING });
      object = { ...object, status } as PodVolume;
      memory = { cancelingSince };
    }
    expect(isFinal(object.status?.phase)).toBe(true);
    expect(object.status).not.toHaveProperty("snapshotID");
  });
});

test.each([
  ["backup", sampleBackup, made(), "Canceled"],
  ["restore", sampleRestore, restored, "Completed"],
] as const)("a %s that succeeds while it is being deleted", (_, sample, task, phase) => {
  const metadata = { ...sample.metadata, deletionTimestamp: AT };
  const object = { ...sample, metadata, status: { phase: "Canceling" } } as PodVolume;
  const { status } = nextPhase({ object, now: NOW, task });
  expect(status.phase).toBe(phase);
  // Nobody would learn of it.
  expect(status).not.toHaveProperty("snapshotID");
});

describe("a backup that has ended", () => {
  const object = { ...sampleBackup, status: { phase: "InProgress" } } as PodVolume;

  test("names its snapshot, with its size", () => {
    expect(nextPhase({ object, now: NOW, task: made() }).status).toEqual({
      phase: "Completed",
      completionTimestamp: AT,
      snapshotID: "abc",
      incrementalBytes: 3,
      progress: { totalBytes: 7, bytesDone: 7 },
    });
  });

  test("of an empty volume has no figures", () => {
    expect(nextPhase({ object, now: NOW, task: made({ bytes: 0 }) }).status).toMatchObject({
      phase: "Completed",
      snapshotID: "abc",
      progress: {},
    });
  });

  test("counts what its snapshot lacks", () => {
    const losses = [{ kind: "HardLink", count: 2, examples: [], reason: "kopia stores copies" }];
    expect(nextPhase({ object, now: NOW, task: made({}, losses) }).status).toMatchObject({
      phase: "Completed",
      message: "The snapshot lacks: 2 × HardLink (kopia stores copies).",
    });
  });

  test("names no snapshot that is not whole", () => {
    const { status } = nextPhase({
      object,
      now: NOW,
      task: made({ incomplete: "2 files could not be read" }),
    });
    expect(status).toEqual({
      phase: "Failed",
      completionTimestamp: AT,
      message: "2 files could not be read",
    });
  });

  test("names no snapshot of a volume that went with its pod", () => {
    expect(
      nextPhase({ object, now: NOW, task: made(), emptied: "Pod shop/web-0 ended or was deleted" }).status,
    ).toEqual({
      phase: "Failed",
      completionTimestamp: AT,
      message:
        "Pod shop/web-0 ended or was deleted while its volume data was backed up, and the volume with it, so that files may be missing. Back the pod up again.",
    });
  });

  test("is complete also where it was canceled too late", () => {
    const late = { ...object, spec: { ...object.spec, cancel: true }, status: { phase: "Canceling" } };
    expect(nextPhase({ object: late as PodVolume, now: NOW, task: made() }).status.phase).toBe("Completed");
  });
});

describe("a restore of what restic stored", () => {
  const legacy = (status: object, spec: object = {}): PodVolume =>
    ({
      ...sampleRestore,
      spec: { ...sampleRestore.spec, uploaderType: "restic", ...spec },
      status,
    }) as PodVolume;

  test("starts at once, without a finalizer or a pod in preparation", () => {
    expect(nextPhase({ object: legacy({}), readiness: READY, now: NOW })).toEqual({
      status: { phase: "InProgress", startTimestamp: AT, node: "n1" },
      held: false,
      exposing: false,
    });
  });

  test("goes on while this process works on it", () => {
    expect(nextPhase({ object: legacy({ phase: "InProgress" }), task: running(5, 9), now: NOW })).toEqual({
      status: { phase: "InProgress", progress: { bytesDone: 5, totalBytes: 9 } },
      held: false,
      exposing: false,
      progressAt: AT,
    });
  });

  test("fails where the process that worked on it is gone", () => {
    const object = legacy({ phase: "InProgress", startTimestamp: EARLIER });
    expect(nextPhase({ object, task: running(5, 9), abandoned: true, now: NOW })).toMatchObject({
      status: {
        phase: "Failed",
        startTimestamp: EARLIER,
        completionTimestamp: AT,
        message:
          "The operator was started anew while restic restored the volume, and such a restore cannot be resumed. Restore the backup again.",
      },
      endRuns: true,
    });
  });

  test("is complete if it had ended before anybody looked", () => {
    const object = legacy({ phase: "InProgress" });
    expect(nextPhase({ object, task: restored, abandoned: true, now: NOW }).status.phase).toBe("Completed");
  });

  test("can be canceled", () => {
    const canceling = nextPhase({
      object: legacy({ phase: "InProgress" }, { cancel: true }),
      task: running(5, 9),
      now: NOW,
    });
    expect(canceling).toMatchObject({ status: { phase: "Canceling" }, held: false });
    const object = legacy({ phase: "Canceling" }, { cancel: true });
    expect(nextPhase({ object, task: cancelled, now: NOW }).status.phase).toBe("Canceled");
  });
});

test("prepareDeadline() is half an hour after the acceptance, and never without one", () => {
  const accepted = {
    ...sampleBackup,
    status: { phase: "Accepted", acceptedTimestamp: EARLIER },
  } as PodVolume;
  expect(prepareDeadline(accepted)).toBe(Date.parse("2026-01-01T12:20:00Z"));
  expect(prepareDeadline(sampleBackup)).toBeNaN();
});

test("a restore into a volume that went with its pod fails", () => {
  const object = { ...sampleRestore, status: { phase: "InProgress", node: "n1" } } as PodVolume;
  expect(
    nextPhase({ object, now: NOW, task: restored, emptied: "Pod shop/web-0 ended or was deleted" }).status,
  ).toEqual({
    phase: "Failed",
    node: "n1",
    completionTimestamp: AT,
    message:
      "Pod shop/web-0 ended or was deleted while its volume data was restored, and the volume with it, with its files. Restore the backup again.",
  });
});

test("a restore that has ended has its size", () => {
  const object = { ...sampleRestore, status: { phase: "InProgress", node: "n1" } } as PodVolume;
  expect(nextPhase({ object, now: NOW, task: restored }).status).toEqual({
    phase: "Completed",
    node: "n1",
    completionTimestamp: AT,
    progress: { totalBytes: 7, bytesDone: 7 },
  });
});

test("a restore that has ended says what may keep its pod from starting", () => {
  const object = { ...sampleRestore, status: { phase: "InProgress", node: "n1" } } as PodVolume;
  const { result } = restored as EndedTask;
  const task = { ...restored, result: { ...result, warnings: ["the root is closed"] } } as TaskState;
  expect(nextPhase({ object, now: NOW, task }).status).toMatchObject({
    phase: "Completed",
    message: "The root is closed.",
  });
});
