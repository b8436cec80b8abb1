import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptLess } from "../../../src/apis/kopiur/admission/check_config.ts";
import {
  claimObjection,
  halfWrittenWarning,
  heldObjection,
} from "../../../src/apis/kopiur/admission/deletion_webhooks.ts";
import { KNOWN_MARKS } from "../../../src/apis/kopiur/admission/known_marks.ts";
import type { Lookup } from "../../../src/apis/kopiur/admission/lookup.ts";
import { backupObject } from "../../../src/apis/kopiur/backup/plan.ts";
import { repositoryTarget } from "../../../src/apis/kopiur/rules/repository_claims.ts";
import { backup, config, readyNas } from "../../../src/apis/kopiur/testing/samples.ts";
import { pruningConfirmation } from "../../../src/cli/commands/acknowledge.ts";
import { halfWrittenConfirmation } from "../../../src/cli/commands/delete.ts";
import { refuseEnded } from "../../../src/cli/commands/retry.ts";
import { soundLines } from "../../../src/cli/commands/verify.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { follow } from "../../../src/cli/frame/follow.ts";
import { Given } from "../../../src/cli/frame/given.ts";
import { parse } from "../../../src/cli/frame/parse.ts";
import { refuseNoNamespace } from "../../../src/cli/frame/refuse_no_namespace.ts";
import { refuseUnknown } from "../../../src/cli/restore/refuse_unknown.ts";
import { doubtOfDeletion, planLines } from "../../../src/cli/restore/restore_plan.ts";
import { safetyPlan } from "../../../src/cli/restore/safety_backup.ts";
import {
  backupOf,
  condition,
  claim as dataClaim,
  NOW,
  native,
  recipe,
} from "../../../src/cli/testing/cli_samples.ts";
import { checkDeletion } from "../../../src/core/admission/deletion_webhook.ts";
import { misspelt } from "../../../src/core/admission/misspelt.ts";
import { deletesSnapshots } from "../../../src/core/backup/deletion_guard.ts";
import { beingRestored } from "../../../src/core/backup/gates.ts";
import { snapshotEntry } from "../../../src/core/backup/snapshot_entries.ts";
import { whyPassedOver } from "../../../src/core/catalog/passed_over.ts";
import { maintainedConditions } from "../../../src/core/maintenance/maintained_conditions.ts";
import { sampleMaintenance } from "../../../src/core/maintenance/testing/sample_maintenance.ts";
import { decideMassDeletion } from "../../../src/core/policy/mass_deletion.ts";
import { preciousDeletions } from "../../../src/core/policy/precious_deletions.ts";
import { volumeProblem } from "../../../src/core/repository/volume_problem.ts";
import { withTrouble } from "../../../src/core/repository/with_trouble.ts";
import { deletionDoubt } from "../../../src/core/restore/deletion_doubt.ts";
import type { Evidence } from "../../../src/core/work/queue/breaker.ts";
import { whyNotStarted } from "../../../src/core/work/why_waiting.ts";
import { ANNOTATIONS } from "../../../src/kinds/kopiur/annotations.ts";
import { type Restore, restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { Pod } from "../../../src/kube/builtin.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { VirtualClock } from "../../../src/lib/virtual_clock.ts";
import type { SnapshotAnswer } from "../../../src/wire/report.ts";
import { viewOfSeen } from "../cli/view_of_seen.ts";
import { ROOT } from "./pages.ts";

const PAGE = readFileSync(join(ROOT, "docs/guides/what-happens-when.md"), "utf8");
const rows = [...PAGE.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, mistake = "", happens = ""]) => ({ mistake, happens }))
  .filter(({ mistake }) => !["you …", "---"].includes(mistake));

const store = { spec: { backend: { filesystem: { pvc: { name: "store" }, path: "/" } } } };
const claim = {
  ...backup(),
  kind: "PersistentVolumeClaim",
  metadata: { ...backup().metadata, name: "store" },
};
const held = (annotations: Record<string, string>) => backup({ metadata: { annotations } });
const met = (evidence: Evidence) =>
  withTrouble({ intents: [] }, { repository: readyNas(), evidence, now: NOW }).status;
const reasonOf = (status: ReturnType<typeof met>, type: string) =>
  status?.conditions?.find((one) => one.type === type)?.reason;
const good = (uid: string, going: boolean) => ({ uid, going, volumes: ["data"] });
const lackOf = (files: number, unreadable: readonly string[]) =>
  snapshotEntry({
    source: "home/data",
    unreadable,
    snapshot: { id: "k1", identity: {}, files, failedFiles: unreadable.length },
  } as unknown as SnapshotAnswer).incomplete;
const fixOf = (line: string) => {
  try {
    return parse(line.split(" "), COMMANDS);
  } catch (error) {
    return (error as { readonly fix?: string }).fix;
  }
};

/** A restore in place that deletes what its snapshot does not hold. */
const deleting = (more: object) =>
  native<Restore>("Restore", "r", {
    spec: {
      source: { backupRef: { name: "good" } },
      target: { pvcRef: { name: "data" } },
      options: { existingFiles: "Overwrite", enableFileDeletion: true, ...more },
      policy: {},
    },
  });
const PLANNED = { passedOver: [], byName: false, users: [], snapshots: [], now: NOW } as const;

/** Each mistake of the page, made. */
const MADE: Readonly<Record<string, () => void | Promise<void>>> = {
  "delete the PVC that holds a repository": () => {
    const used = readyNas({ ...store, status: { storageStats: { snapshotCount: 7 } } });
    expect(claimObjection(claim, [used], { operatorNamespace: "holdfast", known: () => 0 })).toContain(
      "with 7 snapshots",
    );
  },
  "lose that PVC all the same": () => {
    expect(volumeProblem(readyNas(store), "absent")?.reason).toBe("VolumeMissing");
  },
  "delete a Backup that you hold": () => {
    expect(heldObjection(held({ [ANNOTATIONS.hold]: "true" }))).toContain("holdfast unhold backup/");
  },
  "misspell a label or annotation of Holdfast, or write `yes` for `true`": () => {
    expect(misspelt(held({ [ANNOTATIONS.hold.replace("hold", "hodl")]: "true" }), KNOWN_MARKS)).toMatchObject(
      [expect.stringContaining(`did you mean ${ANNOTATIONS.hold}?`)],
    );
    expect(misspelt(held({ [ANNOTATIONS.hold]: "yes" }), KNOWN_MARKS)).toHaveLength(1);
  },
  "delete the last good Backup of a volume": () => {
    expect(preciousDeletions([good("a", true)]).get("a")).toBe("LastOfVolume");
  },
  "delete the last good Backup of a volume that was emptied and backed up again": () => {
    const empty = { ...good("b", false), doubtful: ["data"] };
    expect(preciousDeletions([good("a", true), empty]).get("a")).toBe("LastOfVolume");
  },
  "keep fewer Backups in `retention`": () => {
    const lastSuccessfulBackup = { name: "b", at: "2026-05-24T00:00:00Z" };
    const kept = (keepDaily: number) =>
      config({ spec: { retention: { keepDaily, maxShrinkPercent: 50 } }, status: { lastSuccessfulBackup } });
    const [warning] = keptLess({ object: kept(3), old: kept(30) });
    expect(warning).toMatchObject({ warn: expect.stringContaining("keepDaily is 3 instead of 30") });
  },
  "accept that a source shrank while Backups of the larger one are left": () => {
    const at = NOW;
    const retention = { kept: [], deleted: [{ backup: "full", at }] };
    expect(pruningConfirmation("data", retention)).toMatchObject({
      option: "confirm-pruning",
      why: expect.stringContaining("DELETES 1 Backup"),
    });
  },
  "delete most Backups of a BackupConfig, also one after the other within a day": () => {
    const all = [good("a", true), good("b", true), good("c", false)];
    expect([...preciousDeletions(all).values()]).toEqual(["MostOfAll", "MostOfAll"]);
    expect([...preciousDeletions([good("b", true), good("c", false)], 1).values()]).toEqual(["MostOfAll"]);
  },
  "delete more than 20 Backups within ten minutes": () => {
    const { maxDeletions: most } = readyNas().spec.deletionGuard;
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ id: `b${i}`, requestedAt: NOW, seenAt: NOW }));
    const settings = { most, window: 600_000, pause: 0 };
    const heldOf = (count: number) => decideMassDeletion({ deletions: many(count), now: NOW, settings }).held;
    expect(heldOf(20)).toBeUndefined();
    expect(heldOf(21)?.ids).toHaveLength(21);
  },
  "change the password in the Secret, or point a Repository at the wrong place": () => {
    for (const failure of ["WrongPassword", "NotARepository"] as const)
      expect(met({ setbacks: [{ at: NOW, failure, count: 1 }] })?.phase).toBe("Degraded");
  },
  "delete the Secret with a repository's password": () => {
    const waiting = { reason: "CreateContainerConfigError", message: 'secret "creds" not found' };
    const pod = { status: { containerStatuses: [{ state: { waiting } }] } } as unknown as Pod;
    expect(whyNotStarted(pod, [])).toMatchObject({
      reason: "SecretMissing",
      message: expect.stringContaining("the Secret creds, which is not there"),
    });
  },
  "delete a namespace that holds a Repository": () => {
    const namespace = {
      ...claim,
      metadata: { ...claim.metadata, deletionTimestamp: "2026-05-24T02:13:00Z" },
    };
    const objection = () => "a repository lies on it";
    expect(checkDeletion(claim, { namespace: () => namespace, objection }).allowed).toBe(true);
    const { snapshots } = backupOf("data", "full", {}).status ?? {};
    const full = backup({ status: { phase: "Succeeded", snapshots: snapshots ?? [] } });
    const deletes = (home: KubeObject) => deletesSnapshots(backupObject(full), { get: () => home });
    expect([deletes(claim), deletes(namespace)]).toEqual([true, false]);
  },
  "lose a part of the repository's storage": () => {
    const lastCheck = { at: "2026-05-24T02:13:00Z", healthy: false, missing: { packs: 1 } };
    const found = maintainedConditions(sampleMaintenance({ status: { lastCheck } }), "Configured");
    expect(found.find(({ type }) => type === "Intact")?.reason).toBe("DataMissing");
  },
  "restore from a repository whose data is damaged": () => {
    const status = met({ setbacks: [], damagedAt: NOW });
    expect(reasonOf(status, "Intact")).toBe("DamagedDataRead");
  },
  "take a check that read no data for a proof": () => {
    expect(soundLines({ at: "now", dataPercent: 0 })[0]).toContain("read none of the stored data");
  },
  "skip unreadable files where nothing can be read": () => {
    expect(lackOf(0, ["pgdata"])).toBe("nothing could be read: pgdata");
  },
  "skip unreadable files where a folder cannot be read": () => {
    expect(lackOf(5, ["pgdata/"])).toContain("pgdata/");
  },
  "restore one folder with `--delete-extra`": () => {
    const lines = planLines({ ...PLANNED, restore: deleting({ path: "letters" }) }).join("\n");
    expect(lines).toContain("only letters, to the place where it was; the rest of the volume stays as it is");
    expect(lines).toContain("DELETED, below letters alone");
  },
  "put one folder over the whole volume with `--to-path /` and `--delete-extra`": () => {
    const { options } = deleting({ path: "letters", targetPath: "/" }).spec;
    expect(deletionDoubt({ options, snapshotBytes: 1000, targetBytes: 1000 })).toContain("but the content");
  },
  "restore with `--delete-extra` from a snapshot that lacks files of its volume": () => {
    const { options } = deleting({}).spec;
    const lacks = "pgdata/";
    expect(deletionDoubt({ options, snapshotBytes: 1000, lacks, targetBytes: 1000 })).toContain("pgdata/");
  },
  "restore with `--delete-extra` into a PVC that nothing backs up, or nothing does any more": () => {
    const facts = { ...PLANNED, restore: deleting({}), claim: dataClaim("data"), target: {} };
    const doubt = doubtOfDeletion({ ...facts, safety: { type: "Impossible" } });
    expect(doubt).toBe("Nothing backs the volume up, and what is deleted from it cannot be brought back.");
    const last = { name: "old", at: new Date(NOW - 90 * 86_400_000).toISOString() };
    expect(doubtOfDeletion({ ...facts, target: { last }, safety: { type: "Impossible" } })).toMatch(
      /^No BackupConfig backs the volume up any more, and its last backup was made .* ago: what was written/,
    );
    for (const target of [{}, { last }])
      expect(doubtOfDeletion({ ...facts, target, safety: { type: "Made", config: "data" } })).toBeUndefined();
  },
  "restore into the PVC that holds a repository": () => {
    const restore = deleting({});
    const lookup = { repositoryOn: () => "Repository home/nas", backup: () => "absent" };
    expect(repositoryTarget(restore, lookup as unknown as Lookup)?.reason).toBe("HoldsRepository");
  },
  "restore the newest Backup of a volume that was emptied before it was backed up": () => {
    const shrunk = { measure: "bytes", size: 0, usual: 1000 } as const;
    expect(whyPassedOver({ startedAt: "2026-05-24T00:00:00Z", shrunk }, { now: NOW })).toContain(
      "had shrunk",
    );
  },
  "restore an empty snapshot with `--delete-extra`": () => {
    const { options } = deleting({}).spec;
    expect(deletionDoubt({ options, snapshotBytes: 0, targetBytes: 1000 })).toContain("every file");
  },
  "restore the wrong Backup over a volume": () => {
    const given = new Given([], {});
    expect(safetyPlan(given, [recipe("data")], "home/data")).toEqual({ type: "Made", config: "data" });
  },
  "restore over a volume while its BackupConfig cannot run": () => {
    const given = new Given([], {});
    expect(() => safetyPlan(given, [recipe("data", { phase: "Degraded" })], "home/data")).toThrow(
      "cannot run now",
    );
  },
  "leave a restore into a PVC half done": () => {
    const broken = condition("TargetIncomplete", "True", "RestoreBrokenOff", "half");
    const restores = [{ ...deleting({}), status: { phase: "Failed", conditions: [broken] } }];
    const [row] = viewOfSeen({ claims: [dataClaim("data")], restores }, NOW).volumes;
    expect(row?.wrong[0]).toContain("HALF WRITTEN: restore/r did not complete");
  },
  "let a schedule run after a restore into the PVC failed halfway": () => {
    const left = { by: "restore/r", since: "2026-05-24T02:00:00Z", uid: "u" };
    const lookup = { writerOf: () => undefined, halfWritten: () => left };
    const held = beingRestored({ sources: [{ pvc: "home/data", sourcePath: "/", uid: "u" }] }, lookup);
    expect(held.get("home/data")).toMatchObject({
      reason: "VolumeHalfWritten",
      message: expect.stringContaining("holdfast acknowledge restore/r -n home"),
    });
  },
  "delete a Restore that writes into a PVC, or has left it half done": () => {
    const broken = condition("TargetIncomplete", "True", "RestoreBrokenOff", "half");
    const restore = { ...deleting({}), status: { conditions: [broken] } } as Restore;
    expect(halfWrittenWarning(restore)).toContain("home/data holds a part of the old");
    expect(halfWrittenConfirmation(restore)).toMatchObject({ name: "data" });
  },
  "name a BackupConfig that does not exist in a restore": async () => {
    const client = { list: async () => ({ items: [recipe("data")] }) };
    const gone = { namespace: "home", name: "dta", gone: true };
    const { signal } = new AbortController();
    await expect(
      refuseUnknown({ client } as never, { recipe: gone, backups: [] }, signal),
    ).rejects.toMatchObject({ fix: "Did you mean config/data?", code: 3 });
  },
  "press Ctrl-C while a restore runs": async () => {
    const stop = new AbortController();
    const client = { get: () => stop.signal.throwIfAborted() };
    stop.abort();
    const options = { client, clock: new VirtualClock(), signal: stop.signal, look: () => false };
    await expect(
      follow(restoreResource, { namespace: "home", name: "r" }, options as never),
    ).rejects.toMatchObject({ code: 130, fix: expect.stringContaining("holdfast cancel restore/r -n home") });
  },
  "lose a PVC": () => {
    const { lost } = viewOfSeen({ configs: [recipe("data")], backups: [backupOf("data", "good", {})] }, NOW);
    expect(lost).toMatchObject([{ restore: "holdfast restore config/data --to data -n home" }]);
  },
  "try a Backup again that has succeeded": () => {
    expect(() => refuseEnded(backup({ status: { phase: "Succeeded" } }))).toThrow("is not tried again");
  },
  "mistype a namespace, or the PVC to restore into": async () => {
    const gone = new ApiError({ request: "get", code: 404, status: { reason: "NotFound" } });
    const client = {
      get: () => Promise.reject(gone),
      list: async () => ({ items: [{ metadata: { name: "home" } }] }),
    };
    const { signal } = new AbortController();
    await expect(refuseNoNamespace({ signal }, { client } as never, "hmoe")).rejects.toMatchObject({
      fix: "Did you mean -n home?",
    });
  },
  "mistype a command or an option": () => {
    expect(fixOf("statsu")).toContain("Did you mean status?");
    expect(fixOf("status --namespce x")).toContain("Did you mean --namespace?");
  },
};

test("every mistake of the page is made here, and no other", () => {
  expect(rows.map(({ mistake }) => mistake)).toEqual(Object.keys(MADE));
});

test.each(rows)("you $mistake: Holdfast $happens", async ({ mistake }) => {
  await MADE[mistake]?.();
});
