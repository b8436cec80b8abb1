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
    const scaled = { ...spec, target: { pvcRef: { name: "data", scaleDownWorkloads: true } } };
    expect(planned(scaled, { users: ["a", "b", "c", "d"] })).toContain(
      "a, b, c and 1 more mount it: what they belong to is scaled down",
    );
  });

  test("name an identity with its repository", () => {
    const identity = { username: "u", hostname: "h", sourcePath: "/d", snapshotID: "k1" };
    expect(planned({ repository: { name: "store" }, source: { identity } })).toContain(
      "snapshot k1 of u@h:/d in repository store",
    );
  });
});
