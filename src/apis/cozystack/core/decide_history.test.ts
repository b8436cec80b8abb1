import { expect, test } from "vitest";
import { NOW, sampleBackup, sampleJob, samplePlan } from "../testing/samples.ts";
import { decideHistory } from "./decide_history.ts";

const at = (hour: string) => ({ creationTimestamp: `2026-05-24T${hour}:00:00Z` });
const done = (name: string, hour: string, metadata: object = {}) =>
  sampleJob(name, { phase: "Succeeded" }, { ...at(hour), ...metadata });
const backup = (name: string, day: string) => sampleBackup(name, { takenAt: `2026-05-${day}T02:00:00Z` });
const none = new Set<string>();
const owns = () => false;
const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

test("BackupJobs that succeeded go beyond the limit, the oldest first to go; held ones stay", () => {
  const hold = { annotations: { "backups.cozystack.io/hold": "true" } };
  const jobs = [
    done("a", "01"),
    done("b", "02", hold),
    done("c", "03"),
    sampleJob("d", { phase: "Failed" }, at("04")),
  ];
  const decision = decideHistory({ plan: samplePlan(), jobs, backups: [], needed: none, owns, now: NOW });
  expect(names(decision.jobs)).toEqual(["a"]);
});

test("a BackupJob that owns a Backup stays until it does no more", () => {
  const jobs = [done("a", "01"), done("b", "02"), done("c", "03")];
  const decide = (owner: string | undefined) =>
    names(
      decideHistory({
        plan: samplePlan(),
        jobs,
        backups: [],
        needed: none,
        owns: ({ metadata }) => metadata.name === owner,
        now: NOW,
      }).jobs,
    );
  expect(decide("a")).toEqual(["b"]);
  expect(decide(undefined)).toEqual(["b", "a"]);
});

test("the newest BackupJob stays, whatever the limit", () => {
  const plan = samplePlan({ successfulJobsHistoryLimit: 0 });
  const decision = decideHistory({
    plan,
    jobs: [done("a", "01")],
    backups: [],
    needed: none,
    owns,
    now: NOW,
  });
  expect(decision.jobs).toEqual([]);
});

test("without retention no Backup goes", () => {
  const backups = [backup("a", "20"), backup("b", "21"), backup("c", "22")];
  expect(
    decideHistory({ plan: samplePlan(), jobs: [], backups, needed: none, owns, now: NOW }).backups,
  ).toEqual([]);
});

test("retention keeps what it says, and what a RestoreJob needs", () => {
  const plan = samplePlan({ retention: { keepLatest: 1 } });
  const backups = [backup("a", "20"), backup("b", "21"), backup("c", "22")];
  const decide = (needed: ReadonlySet<string>) =>
    names(decideHistory({ plan, jobs: [], backups, needed, owns, now: NOW }).backups);
  expect(decide(none)).toEqual(["a", "b"]);
  expect(decide(new Set(["a"]))).toEqual(["b"]);
});

test("retention keeps the Backup of a BackupJob that is held: tenants write jobs, and no Backups", () => {
  const plan = samplePlan({ retention: { keepLatest: 1 } });
  const backups = [backup("a", "20"), backup("b", "21"), backup("c", "22")];
  const hold = { ...at("01"), annotations: { "backups.cozystack.io/hold": "true" } };
  const jobs = [sampleJob("job", { phase: "Succeeded", backupRef: { name: "a" } }, hold)];
  expect(names(decideHistory({ plan, jobs, backups, needed: none, owns, now: NOW }).backups)).toEqual(["b"]);
});

test("Backups of another application, which the Plan was for before, make no room for those of this one", () => {
  const plan = samplePlan({ retention: { keepLatest: 1 } });
  const before = sampleBackup("a", {
    takenAt: "2026-05-20T02:00:00Z",
    applicationRef: { kind: "Postgres", name: "old" },
  });
  const backups = [before, backup("b", "21"), backup("c", "22")];
  const decision = decideHistory({ plan, jobs: [], backups, needed: none, owns, now: NOW });
  expect(names(decision.backups)).toEqual(["b"]);
});

test("no good Backup goes while the newest hardly holds anything, until that is acknowledged; the Plan says so", () => {
  const sized = (name: string, day: string, sizeBytes: number, annotations: Record<string, string> = {}) => {
    const one = backup(name, day);
    return {
      ...one,
      metadata: { ...one.metadata, annotations },
      status: { phase: "Ready" as const, artifact: { uri: "u", sizeBytes } },
    };
  };
  const plan = samplePlan({ retention: { keepLatest: 1 } });
  const decide = (annotations?: Record<string, string>) =>
    decideHistory({
      plan,
      jobs: [],
      backups: [sized("a", "20", 900), sized("b", "21", 900), sized("c", "22", 0, annotations)],
      needed: none,
      owns,
      now: NOW,
    });
  expect(names(decide().backups)).toEqual([]);
  expect(decide().events).toEqual([expect.objectContaining({ type: "Warning", reason: "SourceShrank" })]);
  const after = decide({ "backups.cozystack.io/acknowledge-shrink": "true" });
  expect([names(after.backups), after.events]).toEqual([["a", "b"], []]);
});
