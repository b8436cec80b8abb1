import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlanSettings } from "../../core/backup/plan.ts";
import { fitted } from "../../core/reconcile/fitted_status.ts";
import { MOST_UNSEEN } from "../../core/work/run_record.ts";
import { LONGEST_FAILURE } from "../../core/workloads/hooks/hook_progress.ts";
import type { BackupStatus } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigSchema } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleSchema } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositorySchema } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceSchema } from "../../kinds/kopiur/generated/maintenance.ts";
import { type RepositoryStatus, repositorySchema } from "../../kinds/kopiur/generated/repository.ts";
import { restoreSchema } from "../../kinds/kopiur/generated/restore.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { validate } from "../../kube/schema/validate.ts";
import { MAX_STATUS } from "../../kube/write/status.ts";
import { settingsOfConfig } from "./backup/plan.ts";
import { roomProblem } from "./backup/status_room.ts";
import { fullest } from "./testing/fullest.ts";
import { config } from "./testing/samples.ts";

const RECIPE = settingsOfConfig(config().spec);
const TIME = "2026-05-24T02:13:00Z";
const MOST_LEFTOVERS = 20;

interface Lengths {
  readonly sources: number;
  readonly claim: number;
  readonly path: number;
  readonly words: number;
  readonly runs: number;
  /** Of the recipe's hooks, in bytes. Default: it has none. */
  readonly hooks?: number;
}

/**
 * A status in which everything is as long as these allow. What the run made is in it once it has ended; the hooks after
 * it may be to run then.
 */
function statusOf({ sources: count, claim, path, words, runs, hooks }: Lengths, ended: boolean) {
  const text = "w".repeat(words);
  const id = "i".repeat(64);
  const sources = Array.from({ length: count }, (_, i) => ({
    pvc: `ns/${i}${"c".repeat(claim)}`,
    sourcePath: `/${i}${"p".repeat(path)}`,
  }));
  const identity = { username: "u".repeat(40), hostname: "h".repeat(40) };
  const run = "r".repeat(63);
  const told = Array.from({ length: runs }, () => run);
  const condition = { status: "True" as const, reason: "R".repeat(24), lastTransitionTime: TIME };
  const lastFailure = { class: "Unreachable", message: text, remedy: text.slice(0, 512), detail: text };
  const command = ["c".repeat(hooks ?? 0)];
  const recipe: PlanSettings = { ...RECIPE, ...(hooks ? { hooks: hooksWith(command) } : {}) };
  const message = text.slice(0, LONGEST_FAILURE);
  const progress = { finished: 7, since: TIME, job: id, failure: message, tolerated: message };
  const readyState = { state: "ready", reason: "R".repeat(24), message: text };
  const memory = { round: 3, moment: "After", attempt: 3, before: progress, after: progress, captured: true };
  const status = {
    phase: ended ? "Failed" : "Running",
    origin: "manual",
    resolved: { engine: "kopia", sources: ended ? sources : sources.map(known), identity, settings: recipe },
    conditions: ["Ready", "Reconciling", "SourcesQuiesced", "SnapshotCreated", "Unchanged"].map((type) => ({
      type,
      message: text,
      ...condition,
    })),
    failure: {
      errorClass: "Unreachable",
      message: text,
      remedy: text.slice(0, 512),
      stderrTail: text,
      retry: "transient",
      attempt: 3,
      at: TIME,
    },
    logTail: `${text}${text}`,
    job: { name: run, runID: run, attempts: 3, image: "i".repeat(128) },
    timing: { startTime: TIME, endTime: TIME, durationSeconds: 342 },
    progress: { percent: 4, files: 12345678, bytes: 123456789012, updatedAt: TIME },
    ...(ended
      ? {
          snapshots: sources.map(({ pvc, sourcePath }) => ({
            kopiaSnapshotID: id,
            root: id,
            runID: run,
            identity: { ...identity, sourcePath },
            pvc,
            sizeBytes: 123456789012,
            fidelity: "Degraded",
            incomplete: text.slice(0, 256),
            owner: { uid: 4294967295, gid: 4294967295 },
          })),
          losses: [{ kind: "xattrs", count: 3, reason: text.slice(0, 256), examples: [text.slice(0, 256)] }],
        }
      : {}),
    ...(hooks
      ? {
          hooks: {
            before: { state: "Failed", finished: 7, message },
            after: { state: "Running", finished: 7, message },
          },
        }
      : {}),
    work: {
      snapshot: {
        attempt: 3,
        failures: 3,
        step: "Work",
        job: run,
        lastFailure,
        leftovers: told,
        unseen: told.slice(0, MOST_UNSEEN),
      },
      ...(hooks ? { hooks: ended ? { ...memory, end: { phase: "Succeeded", readyState } } : memory } : {}),
    },
  } as unknown as BackupStatus;
  return { status, problem: roomProblem({ sources, identity, recipe }) };
}

/** Until it has succeeded, a Backup remembers which claims they are. */
const known = (source: { readonly pvc: string; readonly sourcePath: string }) => ({
  ...source,
  uid: "u".repeat(36),
});

const hooksWith = (command: readonly string[]): NonNullable<PlanSettings["hooks"]> => ({
  afterSnapshot: [
    {
      workloadExec: {
        podSelector: {},
        pods: "Any",
        command,
        repeatable: false,
        timeout: "5m",
        continueOnFailure: false,
      },
    },
  ],
});

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const lengths = fc.record({
  sources: fc.integer({ min: 1, max: 16 }),
  claim: fc.integer({ min: 1, max: 250 }),
  path: fc.integer({ min: 1, max: 1000 }),
  words: fc.integer({ min: 0, max: 1024 }),
  runs: fc.integer({ min: 0, max: MOST_LEFTOVERS }),
  hooks: fc.integer({ min: 0, max: 4000 }),
});

describe("the status of a Backup", () => {
  test("has room for every recipe that is not refused, whatever is said of it", () => {
    fc.assert(
      fc.property(lengths, fc.boolean(), (given, ended) => {
        const { status, problem } = statusOf(given, ended);
        fc.pre(problem === undefined);
        const written = fitted(status);
        expect(bytes(written)).toBeLessThanOrEqual(MAX_STATUS);
        expect(written.resolved).toEqual(status.resolved);
        expect(written.snapshots?.map((one) => one.kopiaSnapshotID)).toEqual(
          status.snapshots?.map((one) => one.kopiaSnapshotID),
        );
        expect(fitted(written)).toEqual(written);
      }),
      { numRuns: 300 },
    );
  });

  test("is left alone while it is small", () => {
    const small = statusOf({ sources: 2, claim: 20, path: 20, words: 80, runs: 1 }, true);
    expect(fitted(small.status)).toBe(small.status);
  });

  test("says less of each of many volumes, and gives up the log first", () => {
    const { status } = statusOf({ sources: 8, claim: 30, path: 30, words: 200, runs: 2 }, true);
    const padded = { ...status, logTail: "l".repeat(MAX_STATUS - bytes({ ...status, logTail: "" }) + 1) };
    expect(fitted(padded)).toEqual({ ...padded, logTail: "l".repeat(2048) });
  });

  test("has room for the hooks beside the snapshots: those after a capture without copies run when both are there", () => {
    const ordinary = { sources: 16, claim: 30, path: 40, words: 0, runs: 0 };
    expect(statusOf({ ...ordinary, sources: 12, hooks: 1000 }, true).problem).toBeUndefined();
    expect(statusOf({ ...ordinary, sources: 12, hooks: 4000 }, true).problem).toMatchObject({
      reason: "ConfigTooLarge",
      message: expect.stringContaining("shorten hooks,"),
    });
    expect(statusOf({ ...ordinary, sources: 6, hooks: 4000 }, true).problem).toBeUndefined();
  });

  test("has room for sixteen claims of ordinary names, and not for as many of the longest", () => {
    const ordinary = { sources: 16, claim: 30, path: 40, words: 0, runs: 0 };
    expect(statusOf(ordinary, true).problem).toBeUndefined();
    expect(statusOf({ ...ordinary, claim: 250 }, true).problem).toMatchObject({
      class: "structural",
      reason: "ConfigTooLarge",
      message: expect.stringContaining("16 claims"),
    });
  });
});

/** No kind has more types of them. */
const MOST_CONDITIONS = 10;
const scaledWorkloads = Array.from({ length: 16 }, () => ({
  apiVersion: "g".repeat(60),
  kind: "k".repeat(40),
  name: "n".repeat(253),
  replicas: 3,
}));
const sources = Array.from({ length: 4 }, () => ({ pvc: "c".repeat(317), sourcePath: "p".repeat(1024) }));

/** Everything that a status of this kind may hold, as long and as often as its schema allows. */
const KINDS: Readonly<Record<string, readonly [schema: Structural, kept?: object]>> = {
  Repository: [repositorySchema],
  ClusterRepository: [clusterRepositorySchema],
  // One with a target has no claims, and one without scales nothing down.
  "Restore with a target": [restoreSchema, { claims: undefined, claimCount: undefined, scaledWorkloads }],
  "Restore without a target": [restoreSchema, { scaledWorkloads: undefined }],
  Maintenance: [maintenanceSchema],
  // A recipe whose claims have no room in a Backup is refused.
  BackupConfig: [
    backupConfigSchema,
    { resolved: { identity: { username: "u", hostname: "h", sources } }, namespaces: undefined },
  ],
  // It records nothing itself, and so prunes nothing.
  "BackupConfig for several namespaces": [backupConfigSchema, { resolved: undefined, retention: undefined }],
  BackupSchedule: [backupScheduleSchema],
};

describe.each(Object.entries(KINDS))("the status of a %s", (_, [{ properties }, kept]) => {
  const words = "w".repeat(20_000);
  const all = fullest(properties?.status ?? {}) as RepositoryStatus;
  const status = {
    ...all,
    ...kept,
    conditions: all.conditions?.slice(0, MOST_CONDITIONS),
    work: {
      connect: {
        attempt: 1,
        failures: 1,
        place: { tenant: "t".repeat(300) },
        lastFailure: { message: words },
      },
    },
  };
  const written = fitted(status) as typeof status;

  test("is cut to what the API server takes, and then stays so", () => {
    expect(bytes(status)).toBeGreaterThan(MAX_STATUS);
    expect(bytes(written)).toBeLessThanOrEqual(MAX_STATUS);
    expect(fitted(written)).toEqual(written);
    expect(validate(properties?.status ?? {}, JSON.parse(JSON.stringify(written)))).toEqual([]);
  });

  test("keeps what is remembered, and the counts of what is not listed", () => {
    expect(written.work.connect).toMatchObject({ attempt: 1, place: { tenant: "t".repeat(300) } });
    const { oldest: _, ...deletions } = status.deletions ?? {};
    const { identities: __, ...catalog } = status.catalog ?? {};
    if (status.deletions) expect(written.deletions).toMatchObject(deletions);
    if (status.catalog) expect(written.catalog).toMatchObject(catalog);
    expect(written.conditions?.map(({ type }) => type)).toEqual(status.conditions?.map(({ type }) => type));
  });
});
