import { describe, expect, test } from "vitest";
import { NOW, sampleBackup, sampleClass, sampleJob, sampleRestoreJob } from "../testing/samples.ts";
import { decideJob, decideRestoreJob } from "./decide_job.ts";
import { restoreProblem } from "./restore_consent.ts";

const volumes = { kind: "Volume", name: "volumes" };
const full = { apiGroup: "strategy.backups.cozystack.io", ...volumes };
const postgres = { strategyRef: volumes, application: { kind: "Postgres" }, parameters: { level: "full" } };

describe("a BackupJob", () => {
  const decide = (found: Parameters<typeof decideJob>[0]["class"], job = sampleJob("first"), now = NOW) =>
    decideJob({ job, class: found, now });

  test("waits for a class that does not exist", () => {
    const { status, wakeAt } = decide(undefined);
    expect(status).toMatchObject({
      phase: "Pending",
      message: "BackupClass standard does not exist. Create it, or correct backupClassName.",
    });
    expect(wakeAt).toBeGreaterThan(NOW);
  });

  test("fails where the class has no strategy for its application", () => {
    const { status } = decide(sampleClass({ ...postgres, application: { kind: "MariaDB" } }));
    expect(status).toMatchObject({
      phase: "Failed",
      completedAt: "2026-05-24T12:00:00Z",
      message:
        "BackupClass standard has no strategy for Postgres of apps.cozystack.io: its strategies are for MariaDB of apps.cozystack.io. Add one to its strategies, or choose another class.",
    });
  });

  test.each([
    ["the default group, unsaid on both sides", { kind: "Postgres" }],
    ["the default group, said", { apiGroup: "apps.cozystack.io", kind: "Postgres" }],
    ["the default group, empty", { apiGroup: "", kind: "Postgres" }],
  ])("matches by %s, and keeps what it found", (_, application) => {
    const { status } = decide(sampleClass({ ...postgres, application }));
    expect(status).toMatchObject({ phase: "Pending", strategyRef: full, parameters: { level: "full" } });
  });

  test("takes the first strategy that matches, and not one of another group", () => {
    const other = {
      ...postgres,
      application: { apiGroup: "example.com", kind: "Postgres" },
      strategyRef: { kind: "Job", name: "no" },
    };
    const later = { ...postgres, strategyRef: { kind: "Job", name: "later" } };
    expect(decide(sampleClass(other, postgres, later)).status?.strategyRef).toEqual(full);
  });

  test("goes by the strategy that it was given, whatever becomes of the class", () => {
    const job = sampleJob("first", { phase: "Pending", strategyRef: full, parameters: { level: "full" } });
    expect(decide(undefined, job).status).toMatchObject({ strategyRef: full, parameters: { level: "full" } });
  });

  test("says so when no driver takes it for ten minutes", () => {
    const { status } = decide(sampleClass(postgres), sampleJob("first"), NOW + 600_000);
    expect(status?.message).toBe(
      "No driver for Volume of strategy.backups.cozystack.io has taken this job for 10 minutes. Check that it runs.",
    );
  });

  test.each(["Running", "Succeeded", "Failed"] as const)("is left to its driver once it is %s", (phase) => {
    expect(decide(undefined, sampleJob("first", { phase }))).toEqual({ intents: [] });
  });
});

describe("a RestoreJob into another namespace", () => {
  const job = sampleRestoreJob("again", { targetNamespace: "other" });
  const decide = (metadata: object, guarded: boolean, written = job) => {
    const found = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { ...job.metadata, name: "other", ...metadata },
    };
    const forbidden = restoreProblem(written, { namespace: () => found }, guarded);
    return decideRestoreJob({ job: written, backup: sampleBackup("first"), forbidden, now: NOW }).status;
  };
  const consented = {
    ...job,
    metadata: {
      ...job.metadata,
      annotations: { "backups.cozystack.io/consented-references": "RestoreJob/other/*" },
    },
  };
  const lists = (text: string) => ({
    annotations: { "backups.cozystack.io/allowed-restore-namespaces": text },
  });

  test("waits for consent, without a strategy that a driver could take it by", () => {
    const status = decide({}, true);
    expect(status).toMatchObject({
      phase: "Pending",
      message:
        "RestoreJobs of namespace tenant cannot restore into namespace other: namespace other does not list tenant, and whoever wrote this may not create RestoreJobs there. Have someone write this who may, or have tenant added to the annotation backups.cozystack.io/allowed-restore-namespaces of namespace other.",
    });
    expect(status).not.toHaveProperty("strategyRef");
  });

  test.each([
    ["the namespace lists its own", lists("a, tenant"), false, job, true],
    ["the namespace lists others", lists("a,tenants"), false, job, false],
    ["admission found that its author may", {}, true, consented, true],
    ["nobody could have checked that its author may", {}, false, consented, false],
  ])("where %s", (_, metadata, guarded, written, goes) => {
    expect(decide(metadata, guarded, written)?.strategyRef !== undefined).toBe(goes);
  });

  test.each([
    ["does not exist", "absent"],
    ["is not known yet", "unknown"],
  ] as const)("waits while the namespace %s, though nobody has refused", (_, found) => {
    const forbidden = (written: typeof job) => restoreProblem(written, { namespace: () => found }, true);
    const decide = (written: typeof job) =>
      decideRestoreJob({
        job: written,
        backup: sampleBackup("first"),
        forbidden: forbidden(written),
        now: NOW,
      });
    expect(decide(job).status).toMatchObject({
      phase: "Pending",
      message:
        "Namespace other does not exist, so it cannot consent. Create it, or have someone write this who may create RestoreJobs there.",
    });
    expect(decide(job).status).not.toHaveProperty("strategyRef");
    expect(decide(job).wakeAt).toBeGreaterThan(NOW);
    expect(decide(consented).status?.strategyRef).toEqual(full);
  });

  const tape = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };
  const ofTape = (annotations: object) => {
    const backup = sampleBackup("first", { strategyRef: tape });
    return { ...backup, metadata: { ...backup.metadata, annotations } } as typeof backup;
  };

  test("fails where its driver does not say that it knows other namespaces", () => {
    const { status } = decideRestoreJob({ job, backup: ofTape({}), now: NOW });
    expect(status).toMatchObject({
      phase: "Failed",
      completedAt: "2026-05-24T12:00:00Z",
      message:
        'Backup first cannot be restored into namespace other: its driver, that of Tape of tapes.example.com, may not know targetNamespace, and would restore into namespace tenant. Create the RestoreJob without targetNamespace. If the driver knows it, set the annotation backups.cozystack.io/restores-into-other-namespaces: "true" on the Backup.',
    });
    expect(status).not.toHaveProperty("strategyRef");
  });

  test.each([
    ["says that it knows them", job, { "backups.cozystack.io/restores-into-other-namespaces": "true" }],
    ["does not, into its own namespace", sampleRestoreJob("again", { targetNamespace: "tenant" }), {}],
    ["does not, without a namespace", sampleRestoreJob("again"), {}],
  ])("goes on where its driver %s", (_, written, annotations) => {
    const { status } = decideRestoreJob({ job: written, backup: ofTape(annotations), now: NOW });
    expect(status?.strategyRef).toEqual(tape);
  });
});

describe("a RestoreJob", () => {
  test.each([
    ["is not there", undefined, "Backup first does not exist. Create another RestoreJob for one that does."],
    [
      "is not ready",
      sampleBackup("first", {}, { phase: "Pending" }),
      "Backup first is Pending. The restore begins when it is Ready.",
    ],
  ])("waits for a Backup that %s", (_, backup, message) => {
    const { status } = decideRestoreJob({ job: sampleRestoreJob("again"), backup, now: NOW });
    expect(status).toMatchObject({ phase: "Pending", message });
  });

  test("goes by the strategy of its Backup", () => {
    const { status } = decideRestoreJob({
      job: sampleRestoreJob("again"),
      backup: sampleBackup("first"),
      now: NOW,
    });
    expect(status).toMatchObject({ phase: "Pending", strategyRef: full });
  });
});
