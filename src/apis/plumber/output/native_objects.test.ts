import { describe, expect, test } from "vitest";
import { backupConfigSchema } from "../../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleSchema } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { restoreSchema } from "../../../kinds/kopiur/generated/restore.ts";
import { validate } from "../../../kube/schema/validate.ts";
import { isAsWanted, withoutNulls } from "../../../kube/write/differing_fields.ts";
import { parsePvc } from "../policy/parse_pvc.ts";
import { DEFAULTS } from "../settings.ts";
import { generatedNames } from "./generated_marks.ts";
import { nativeObjects } from "./native_objects.ts";

const NO = { answer: "no", stale: false } as const;

function generated(
  labels: Record<string, string> = {},
  annotations: Record<string, string> = {},
  truth: Parameters<typeof nativeObjects>[0]["truth"] = NO,
) {
  const metadata = {
    namespace: "media",
    name: "library",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
    labels: { "pvc-plumber.io/tier": "hourly", ...labels },
    annotations,
  };
  return nativeObjects({ claim: { metadata }, pvc: parsePvc({ metadata }, DEFAULTS), truth }, DEFAULTS);
}

describe("nativeObjects()", () => {
  test("makes objects that their kinds accept, with the documented names and labels", () => {
    const { config, schedule, restore } = generated();
    const labels = {
      "app.kubernetes.io/managed-by": "pvc-plumber",
      "pvc-plumber.io/source-namespace": "media",
      "pvc-plumber.io/source-pvc": "library",
      "pvc-plumber.io/backup-identity": expect.stringMatching(/^media-library-[a-z0-9]{8}$/),
      "pvc-plumber.io/tier": "hourly",
      "volsync.backup/pvc": "library",
    };
    const whole = [
      [config, backupConfigSchema, "library"],
      [schedule, backupScheduleSchema, "library"],
      [restore, restoreSchema, "library-dst"],
    ] as const;
    for (const [wanted, schema, name] of whole) {
      expect(wanted?.object.metadata).toMatchObject({ namespace: "media", name, labels });
      expect(wanted?.object.metadata.annotations["pvc-plumber.io/backup-identity"]).toBe("media/library");
      const { resource, object } = wanted ?? config;
      const stored = {
        apiVersion: `${resource.group}/${resource.version}`,
        kind: resource.kind,
        ...withoutNulls(object),
      };
      expect(validate(schema, stored)).toEqual([]);
    }
  });

  test("records what VolSync does, and restores from the same", () => {
    const { config, restore } = generated();
    expect(config.object.spec).toMatchObject({
      identity: { username: "library", hostname: "media" },
      sources: [{ pvc: { name: "library" }, sourcePathOverride: "/data" }],
      mover: { securityContext: { runAsUser: 568, runAsGroup: 568 } },
    });
    expect(restore.object.spec).toMatchObject({
      source: { identity: { username: "library", hostname: "media", sourcePath: "/data" } },
    });
  });

  test.each([
    [NO, "Continue"],
    [{ answer: "no", stale: true } as const, "Fail"],
    [{ answer: "yes", newestAt: "2026-01-01T00:00:00Z", stale: false } as const, "Fail"],
    [{ answer: "unknown", reason: "NotRead", message: "It was not read." } as const, "Fail"],
  ])("lets a PVC start empty from a Restore only on an authoritative no: %j", (truth, onMissingSnapshot) => {
    expect(generated({}, {}, truth).restore.object.spec).toMatchObject({ policy: { onMissingSnapshot } });
  });

  test("keeps everything, and has no schedule, in a tier without one", () => {
    for (const tier of ["manual", "disabled"]) {
      const { config, schedule } = generated({ "pvc-plumber.io/tier": tier });
      expect(schedule).toBeUndefined();
      expect(config.object.spec).toMatchObject({ retention: null });
    }
  });

  test("asks for privileges where the mover is to be root", () => {
    const { config, restore } = generated({}, { "pvc-plumber.io/uid": "0" });
    for (const { object } of [config, restore]) {
      expect(object.spec).toMatchObject({ mover: { privilegedMode: true, securityContext: null } });
    }
  });
});

describe("generatedNames()", () => {
  test.each([
    ["bare-dst", { config: "data", schedule: "data", restore: "data-dst" }],
    ["legacy-backup", { config: "data-backup", schedule: "data-backup", restore: "data-backup" }],
  ] as const)("follows the strategy %s", (strategy, names) => {
    expect(generatedNames("data", strategy)).toEqual(names);
  });

  test("stays within the length of a name, and tells long ones apart", () => {
    const [a, b] = [`${"x".repeat(252)}a`, `${"x".repeat(252)}b`].map(
      (name) => generatedNames(name, "bare-dst").restore,
    );
    expect([a?.length, b?.length]).toEqual([253, 253]);
    expect(a).not.toBe(b);
    expect(a).toMatch(/-[a-z0-9]{8}-dst$/);
  });
});

describe("isAsWanted()", () => {
  test.each<[unknown, unknown, boolean]>([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: null }, {}, true],
    [{ a: null }, { a: 1 }, false],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true],
    [{ a: [1] }, { a: [1, 2] }, false],
    [{ a: { b: 1 } }, {}, false],
  ])("%j in %j: %s", (wanted, present, is) => {
    expect(isAsWanted(wanted, present)).toBe(is);
  });
});
