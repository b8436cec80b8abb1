import { describe, expect, test } from "vitest";
import { DEFAULTS, plumberSettings } from "./settings.ts";

describe("plumberSettings()", () => {
  test("has the document's defaults", () => {
    expect(plumberSettings(undefined)).toEqual(DEFAULTS);
    expect(DEFAULTS).toMatchObject({ mode: "audit", uid: 568, gid: 568, minBackupAge: 7_200_000 });
    expect(DEFAULTS).toMatchObject({ refreshInterval: 60_000, removalGrace: 900_000 });
    expect(DEFAULTS.excludedNamespaces).toHaveLength(9);
  });

  test("reads everything that can be set", () => {
    const given = {
      mode: "strict",
      output: "volsync",
      repoSecretName: "kopia",
      volsync: { storageClassName: "fast", volumeSnapshotClassName: "snaps", cacheCapacity: "2Gi" },
      repository: { kind: "Repository", namespace: "backups", name: "nas" },
      namingStrategy: "legacy-backup",
      tiers: { hourly: { cron: "H/30 * * * *", retention: { keepLatest: 3 } } },
      copyMethod: "Clone",
      uid: 1000,
      gid: 0,
      minBackupAge: "30m",
      refreshInterval: "10s",
      removalGrace: "1h",
      excludedNamespaces: ["kube-system"],
    };
    expect(plumberSettings(given)).toEqual({
      ...given,
      tiers: { ...DEFAULTS.tiers, hourly: given.tiers.hourly },
      minBackupAge: 1_800_000,
      refreshInterval: 10_000,
      removalGrace: 3_600_000,
    });
  });

  test.each<[unknown, string]>([
    ["strict", 'plumber is "strict": it must be an object'],
    [{ mode: "never" }, 'plumber.mode is "never": it must be one of audit, permissive, enforce, strict'],
    [{ modes: "strict" }, "plumber.modes is no setting of this API"],
    [
      { repository: { kind: "Repository", name: "a" } },
      "plumber.repository.namespace must be set: a Repository is in a namespace",
    ],
    [
      { repository: { name: "a", namespace: "b" } },
      "plumber.repository.namespace must not be set for a ClusterRepository, which has none",
    ],
    [{ output: "velero" }, 'plumber.output is "velero": it must be one of native, volsync'],
    [{ volsync: { compression: "zstd" } }, "plumber.volsync.compression is no setting of this API"],
    [{ tiers: { monthly: {} } }, "plumber.tiers.monthly is no setting of this API"],
    [
      { tiers: { daily: { retention: { keepDaily: -1 } } } },
      "plumber.tiers.daily.retention.keepDaily is -1: it must be a whole number from 0 to 100000",
    ],
    [
      { output: "volsync", tiers: { weekly: { cron: "0 0 L * *" } } },
      "plumber.tiers.weekly.cron: VolSync does not take L: write numbers",
    ],
    [{ uid: "568" }, 'plumber.uid is "568": it must be a whole number from 0 to 2147483647'],
    [{ minBackupAge: "soon" }, 'plumber.minBackupAge: "soon" is no duration; write one such as 1h30m'],
    [
      { excludedNamespaces: "kube-system" },
      'plumber.excludedNamespaces is "kube-system": it must be a list of texts',
    ],
  ])("refuses %j", (given, message) => {
    expect(() => plumberSettings(given)).toThrow(message);
  });

  test("refuses a schedule that never comes", () => {
    expect(() => plumberSettings({ tiers: { weekly: { cron: "every week" } } })).toThrow(
      /^plumber\.tiers\.weekly\.cron: the cron expression "every week" cannot be used: /,
    );
  });
});
