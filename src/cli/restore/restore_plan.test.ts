import { describe, expect, test } from "vitest";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { backupOf, claim, NOW, native } from "../testing/cli_samples.ts";
import { type PlanFacts, planLines } from "./restore_plan.ts";

const options = { existingFiles: "Refuse", enableFileDeletion: false };
const backup = backupOf("data", "b", {
  timing: { endTime: "2026-05-24T03:00:00Z" },
  stats: { sizeBytes: 2048 },
});
const planned = (spec: object, more: Partial<PlanFacts> = {}) => {
  const restore = native<Restore>("Restore", "r", { spec: { options, policy: {}, ...spec } });
  const unknown = { passedOver: [], byName: false, users: [], now: NOW };
  const snapshots = more.backup?.status?.snapshots ?? [];
  return planLines({ restore, ...unknown, snapshots, ...more }).join("\n");
};

describe("planLines()", () => {
  test("name the backup, its age and size, and the claim that is made", () => {
    const spec = {
      source: { backupRef: { name: "b" } },
      target: { pvc: { name: "new", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } },
    };
    const volume = { pvc: "home/data", sourcePath: "/data" };
    expect(planned(spec, { backup, volume })).toBe(
      [
        "Restore home/r:",
        "  from  volume home/data of backup b, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB",
        "  to    a new claim home/new of 1Gi, ReadWriteOnce, in the default class",
      ].join("\n"),
    );
  });

  test("name the namespace of a source that is elsewhere, and the class of a new claim", () => {
    const pvc = { name: "new", capacity: "1Gi", accessModes: ["ReadWriteMany"], storageClassName: "fast" };
    const spec = { source: { backupRef: { name: "b", namespace: "away" } }, target: { pvc } };
    const volume = { pvc: "away/data", sourcePath: "/data" };
    const text = planned(spec, { backup, volume });
    expect(text).toContain("from  volume away/data of backup away/b, of");
    expect(text).toContain("a new claim home/new of 1Gi, ReadWriteMany, in class fast");
    const recipe = { source: { fromConfig: { name: "data", namespace: "away" } } };
    expect(planned(recipe, { volume })).toContain(
      "the newest snapshot of volume away/data of config away/data;",
    );
  });

  test.each([
    [
      { path: "letters" },
      "  path  only letters, to the place where it was; the rest of the volume stays as it is",
      "DELETED, below letters alone",
    ],
    [
      { targetPath: "rescued" },
      "  path  everything, into the folder /rescued; the rest of the volume stays as it is",
      "DELETED, below rescued alone",
    ],
    [
      { path: "letters", targetPath: "/" },
      "  path  only letters, into the folder /; the rest of the volume is DELETED",
      "DELETED",
    ],
    [{ path: "/" }, "  files that are there are OVERWRITTEN", "DELETED"],
  ])("say which part comes back where, and where files are deleted: %j", (paths, line, deleted) => {
    const spec = {
      source: { backupRef: { name: "b" } },
      target: { pvcRef: { name: "data" } },
      options: { existingFiles: "Overwrite", enableFileDeletion: true, ...paths },
    };
    const lines = planned(spec, { claim: claim("data") }).split("\n");
    expect(lines).toContain(line);
    expect(lines).toContain(`  files that the snapshot does not hold are ${deleted}`);
  });

  const inPlace = { source: { backupRef: { name: "b" } }, target: { pvcRef: { name: "documents" } } };
  const documents = { claim: claim("documents"), volume: { pvc: "home/documents", sourcePath: "/d" } };

  test("say that source and target are different volumes", () => {
    const note = "  NOTE  the data is of volume home/photos, and goes into another volume, home/documents\n";
    const photos = { ...documents, volume: { pvc: "home/photos", sourcePath: "/p" } };
    expect(planned(inPlace, photos)).toContain(note);
    expect(planned(inPlace, documents)).not.toContain("NOTE");
  });

  test("say how old the last backup of the target is, or that there is none", () => {
    const last = { name: "monday", at: "2026-05-23T12:00:00Z", sizeBytes: 2048 };
    expect(planned(inPlace, { ...documents, target: { last } })).toContain(
      "  last  backup of documents: monday, 1d ago, 2.0 KiB; what was written since is in no backup",
    );
    expect(planned(inPlace, { ...documents, target: {} })).toContain("there is NO BACKUP of documents");
    expect(planned(inPlace, documents)).not.toContain("  last  ");
  });

  test("warn of a claim that is too small, and of a class that is not there", () => {
    const pvc = { name: "new", capacity: "1Ki", accessModes: ["ReadWriteOnce"], storageClassName: "fats" };
    const spec = { source: { backupRef: { name: "b" } }, target: { pvc } };
    const text = planned(spec, { backup, noClass: "fats" });
    expect(text).toContain("  WARNING  there is no storage class fats: the claim waits until there is one");
    expect(text).toContain(
      "  WARNING  the new claim of 1Ki is too small for 2.0 KiB: use a larger --capacity",
    );
    expect(planned({ ...spec, target: { pvc: { ...pvc, capacity: "2Ki" } } }, { backup })).not.toContain(
      "WARNING",
    );
  });

  test("warn where most of a volume would be deleted", () => {
    const spec = { ...inPlace, options: { ...options, enableFileDeletion: true } };
    const text = planned(spec, { ...documents, backup, target: { largest: 10_000 } });
    expect(text).toContain(
      "  WARNING  The snapshot holds 2048 bytes, and the last backups of the volume 10000: most of its files would be deleted.",
    );
    expect(planned(spec, { ...documents, backup, target: { largest: 4096 } })).not.toContain("WARNING");
  });

  test.each([
    [{}, { stats: { filesFailed: 2 } }, "what it lacks would be deleted from the target"],
    [{ path: "letters", targetPath: "/" }, {}, "everything in the volume but the content of letters"],
  ])("warn where files would be deleted that no snapshot of it holds: %j %j", (paths, status, warning) => {
    const spec = { ...inPlace, options: { ...options, enableFileDeletion: true, ...paths } };
    const text = planned(spec, { ...documents, backup: backupOf("data", "b", status) });
    expect(text.toLowerCase()).toContain(warning);
  });

  test("have the size of what is restored, and not of the whole Backup", () => {
    const [own] = backup.status?.snapshots ?? [];
    if (!own) throw new Error("there is one");
    const both = backupOf("data", "b", {
      snapshots: [own, { ...own, pvc: "home/more", sizeBytes: 4096 }],
      stats: { sizeBytes: 6144 },
    });
    const spec = { source: { backupRef: { name: "b" } } };
    expect(planned(spec, { backup: both, snapshots: [own] })).toContain("(12h ago), 2.0 KiB\n");
    expect(planned(spec, { backup: both, byName: true })).toContain("(12h ago), 6.0 KiB\n");
    const { sizeBytes: _, ...unweighed } = own;
    expect(planned(spec, { backup: both, snapshots: [unweighed] })).toContain("(12h ago)\n");
  });

  test("say that each claim gets what is of its own name", () => {
    const spec = { source: { backupRef: { name: "b" } } };
    expect(planned(spec, { backup, byName: true })).toContain(
      "; each gets the data of the volume of its own name",
    );
    expect(planned(spec, { backup })).not.toContain("of its own name");
  });

  test.each([
    [{ options: { ...options, ownership: "Exact" } }, "as they were, or nothing is written"],
    [{ options: { ...options, ownership: "BestEffort" } }, "what differs is counted"],
    [{ options: { ...options, ownership: "Skip" } }, "owners are not restored"],
    [{ mover: { privilegedMode: true } }, "the mover runs as root"],
  ])("say how it is written: %j", (more, text) => {
    const source = { backupRef: { name: "b" } };
    expect(planned({ source, ...more })).toContain(text);
    expect(planned({ source })).not.toContain(text);
  });

  test("say that the repository decides what a recipe's choice falls on", () => {
    const spec = { source: { fromConfig: { name: "data", offset: 1, asOf: "2026-05-24T04:00:00Z" } } };
    expect(planned(spec)).toContain(
      "the snapshot 1 before the newest at or before 2026-05-24T04:00:00Z of config data; no Backup of it is known, so the repository is asked",
    );
    expect(planned(spec, { backup })).toContain(
      "of config data: backup b, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB, unless the repository holds a newer one\n",
    );
    expect(planned(spec)).toContain("every claim whose dataSourceRef names this Restore");
  });

  test("say what the snapshot that is meant does not hold", () => {
    const [whole] = backup.status?.snapshots ?? [];
    const half = { ...whole, pvc: "home/more", incomplete: "3 files could not be read" };
    const of = (...snapshots: readonly unknown[]) => backupOf("data", "b", { snapshots });
    const from = { source: { backupRef: { name: "b" } }, target: { pvcRef: { name: "any" } } };
    const lack = "INCOMPLETE: 3 files could not be read\n";
    expect(planned(from, { backup: of(half) })).toContain(`(12h ago), 2.0 KiB, ${lack}`);
    const two = of(whole, half);
    const taking = (snapshot: unknown) => planned(from, { backup: two, snapshots: [snapshot as never] });
    expect(taking(half)).toContain(lack);
    expect(taking(whole)).not.toContain("INCOMPLETE");
    const every = { source: { fromConfig: { name: "data" } } };
    expect(planned(every, { backup: two })).toContain("INCOMPLETE of home/more: 3 files");
  });

  test("name newer Backups that are left out, and why", () => {
    const spec = { source: { fromConfig: { name: "data" } } };
    const passedOver = ["v", "w", "x", "y", "z"].map((name) => ({
      backup: backupOf("data", name, {}),
      why: "it is incomplete: 3 files",
    }));
    expect(planned(spec, { backup, passedOver: passedOver.slice(0, 1) })).toContain(
      "backup b, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB, unless the repository holds a newer one\n  not   backup v, unless it is named: it is incomplete: 3 files\n  to ",
    );
    const none = planned(spec, { passedOver });
    expect(none).toContain("no other Backup of it is known");
    expect(none).toContain("\n  not   2 more of that kind\n");
  });

  test("warn of what is overwritten, deleted, and in use", () => {
    const spec = {
      source: { backupRef: { name: "b" } },
      target: { pvcRef: { name: "data", scaleDownWorkloads: false } },
      options: { ...options, existingFiles: "Overwrite", enableFileDeletion: true },
    };
    const text = planned(spec, { claim: claim("data"), users: ["web-0"] });
    expect(text).toContain("the claim home/data, in place");
    expect(text).toContain("OVERWRITTEN");
    expect(text).toContain("DELETED");
    expect(text).toContain("web-0 mount it: nothing is written before they are gone");
    expect(planned(spec)).toContain("NOT THERE");
    expect(planned(spec, { claim: "unseen" })).toContain("the claim home/data, in place");
    const scaled = { ...spec, target: { pvcRef: { name: "data", scaleDownWorkloads: true } } };
    expect(planned(scaled, { users: ["a", "b", "c", "d"] })).toContain(
      "a, b, c and 1 more mount it: what they belong to is scaled down",
    );
  });

  test("say when the volume stays empty", () => {
    const recipe = { source: { fromConfig: { name: "data" } } };
    expect(planned(recipe)).toContain(
      "holds no snapshot at all of that, the volume stays empty, unless it was backed up before",
    );
    const policy = (onMissingSnapshot: string) => ({ policy: { onMissingSnapshot } });
    expect(planned({ ...recipe, ...policy("Continue") })).toContain(
      "no such snapshot, the volume stays empty",
    );
    expect(planned({ ...recipe, ...policy("Fail") })).not.toContain("empty");
    expect(planned({ source: { backupRef: { name: "b" } } })).not.toContain("empty");
  });

  test("name an identity with its repository", () => {
    const identity = { username: "u", hostname: "h", sourcePath: "/d", snapshotID: "k1" };
    expect(planned({ repository: { name: "store" }, source: { identity } })).toContain(
      "snapshot k1 of u@h:/d in repository store",
    );
    const elsewhere = { name: "store", namespace: "away" };
    expect(planned({ repository: elsewhere, source: { identity } })).toContain("in repository away/store");
    const shared = { kind: "ClusterRepository", name: "all" };
    expect(planned({ repository: shared, source: { identity } })).toContain("in cluster repository all");
  });
});
