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
  return planLines({ restore, users: [], now: NOW, ...more }).join("\n");
};

describe("planLines()", () => {
  test("name the backup, its age and size, and the claim that is made", () => {
    const spec = {
      source: { backupRef: { name: "b" } },
      target: { pvc: { name: "new", capacity: "1Gi", accessModes: [] } },
    };
    expect(planned(spec, { backup })).toBe(
      "Restore home/r:\n  from  backup b, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB\n  to    a new claim new of 1Gi",
    );
  });

  test("say that the repository decides what a recipe's choice falls on", () => {
    const spec = { source: { fromConfig: { name: "data", offset: 1, asOf: "2026-05-24T04:00:00Z" } } };
    expect(planned(spec)).toContain(
      "the snapshot 1 before the newest at or before 2026-05-24T04:00:00Z of config data; no Backup of it is known, so the repository is asked",
    );
    expect(planned(spec, { backup })).toContain("by the Backups that there are that is b,");
    expect(planned(spec)).toContain("every claim whose dataSourceRef names this Restore");
  });

  test("say what the snapshot that is meant does not hold", () => {
    const [whole] = backup.status?.snapshots ?? [];
    const half = { ...whole, pvc: "home/more", incomplete: "3 files could not be read" };
    const of = (...snapshots: readonly unknown[]) => backupOf("data", "b", { snapshots });
    const from = (ref: object, target: string) => ({
      source: { backupRef: { name: "b", ...ref } },
      target: { pvcRef: { name: target } },
    });
    const lack = "INCOMPLETE: 3 files could not be read\n";
    expect(planned(from({}, "any"), { backup: of(half) })).toContain(`(12h ago), ${lack}`);
    const two = of(whole, half);
    expect(planned(from({}, "more"), { backup: two })).toContain(lack);
    expect(planned(from({ pvc: "home/more" }, "any"), { backup: two })).toContain(lack);
    expect(planned(from({}, "data"), { backup: two })).not.toContain("INCOMPLETE");
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
      "that is b, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB\n  not   backup v, unless it is named: it is incomplete: 3 files\n  to ",
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
    expect(text).toContain("the claim data, in place");
    expect(text).toContain("OVERWRITTEN");
    expect(text).toContain("DELETED");
    expect(text).toContain("web-0 mount it: nothing is written before they are gone");
    expect(planned(spec)).toContain("NOT THERE");
    expect(planned(spec, { claim: "unseen" })).toContain("the claim data, in place");
    const scaled = { ...spec, target: { pvcRef: { name: "data", scaleDownWorkloads: true } } };
    expect(planned(scaled, { users: ["a", "b", "c", "d"] })).toContain(
      "a, b, c and 1 more mount it: what they belong to is scaled down",
    );
  });

  test("say when the volume stays empty", () => {
    const recipe = { source: { fromConfig: { name: "data" } } };
    expect(planned(recipe)).toContain("holds no snapshot at all of that, the volume stays empty");
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
  });
});
