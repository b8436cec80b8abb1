import { describe, expect, test } from "vitest";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { parsePvc } from "../policy/parse_pvc.ts";
import type { SourceDecision } from "../policy/source_state.ts";
import { plumberSettings } from "../settings.ts";
import { sourceTrigger, volsyncObjects } from "./volsync_objects.ts";

const NO = { answer: "no", stale: false } as const;

interface Given {
  readonly state?: SourceDecision["state"];
  readonly tier?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The ReplicationSource that is there. */
  readonly spec?: object;
  readonly status?: object;
  readonly settings?: object;
}

function request(given: Given = {}) {
  const settings = plumberSettings({ output: "volsync", ...given.settings });
  const claim: Claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace: "media",
      name: "library",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: "",
      labels: { "pvc-plumber.io/tier": given.tier ?? "hourly" },
      annotations: { ...given.annotations },
    },
    spec: {
      storageClassName: "longhorn",
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "5Gi" } },
    },
  };
  const schedule = { ...claim, spec: given.spec ?? {}, status: given.status ?? {} };
  const present = { config: undefined, restore: undefined, schedule: given.spec ? schedule : undefined };
  const source: SourceDecision = { state: given.state ?? "ready", message: "" };
  return { settings, asked: { claim, pvc: parsePvc(claim, settings), truth: NO, source, present } };
}

const made = (given?: Given) => {
  const { settings, asked } = request(given);
  return volsyncObjects(asked, settings);
};
const trigger = (given?: Given) => {
  const { settings, asked } = request(given);
  return sourceTrigger(asked, settings);
};

describe("volsyncObjects()", () => {
  const labels = {
    "app.kubernetes.io/managed-by": "pvc-plumber",
    "pvc-plumber.io/source-namespace": "media",
    "pvc-plumber.io/source-pvc": "library",
    "pvc-plumber.io/backup-identity": expect.stringMatching(/^media-library-[a-z0-9]{8}$/),
    "pvc-plumber.io/tier": "hourly",
    "volsync.backup/pvc": "library",
  };
  const shared = {
    repository: "volsync-kopia-repository",
    username: "library",
    hostname: "media",
    storageClassName: "longhorn",
    volumeSnapshotClassName: null,
    cacheCapacity: null,
    moverSecurityContext: { runAsUser: 568, runAsGroup: 568, fsGroup: 568 },
    copyMethod: "Snapshot",
  };

  test("makes a ReplicationSource of the PVC's name, with the documented labels and a minute of its own", () => {
    const { schedule, config } = made();
    expect(config).toBeUndefined();
    expect(schedule?.resource).toMatchObject({ group: "volsync.backube", kind: "ReplicationSource" });
    expect(schedule?.object.metadata).toMatchObject({ namespace: "media", name: "library", labels });
    expect(schedule?.object.spec).toEqual({
      sourcePVC: "library",
      trigger: { schedule: expect.stringMatching(/^[1-5]?\d \* \* \* \*$/), manual: null },
      kopia: {
        ...shared,
        retain: { latest: null, hourly: 24, daily: 7, weekly: 4, monthly: 2, yearly: null },
      },
    });
  });

  test("makes a ReplicationDestination that restores once, of the size of the PVC", () => {
    const { restore } = made();
    expect(restore.object.metadata).toMatchObject({ namespace: "media", name: "library-dst", labels });
    expect(restore.object.spec).toEqual({
      trigger: { manual: "restore-once" },
      kopia: { ...shared, capacity: "5Gi", accessModes: ["ReadWriteMany"] },
    });
  });

  test("takes identity, user and group from the PVC, and the rest from the settings", () => {
    const volsync = { storageClassName: "fast", volumeSnapshotClassName: "snaps", cacheCapacity: "2Gi" };
    const { restore, schedule } = made({
      annotations: {
        "pvc-plumber.io/backup-identity": "old/library",
        "pvc-plumber.io/uid": "1000",
        "pvc-plumber.io/gid": "100",
      },
      settings: { volsync, repoSecretName: "kopia", copyMethod: "Clone" },
    });
    for (const one of [restore, schedule]) {
      expect(one?.object.spec).toMatchObject({
        kopia: {
          ...volsync,
          repository: "kopia",
          username: "library",
          hostname: "old",
          moverSecurityContext: { runAsUser: 1000, runAsGroup: 100, fsGroup: 100 },
        },
      });
    }
    expect(schedule?.object.spec).toMatchObject({ kopia: { copyMethod: "Clone" } });
    expect(restore.object.spec).toMatchObject({ kopia: { copyMethod: "Snapshot" } });
  });

  test("keeps everything in a tier without retention, of which VolSync would keep little", () => {
    const { schedule } = made({ tier: "manual", annotations: { "pvc-plumber.io/trigger": "1" } });
    expect(schedule?.object.spec).toMatchObject({ kopia: { retain: { latest: 100_000, hourly: null } } });
  });
});

describe("sourceTrigger()", () => {
  const CRON = expect.stringMatching(/^[1-5]?\d \* \* \* \*$/);
  const ASKED = { "pvc-plumber.io/trigger": "now" };
  const HANDLED = { ...ASKED, "pvc-plumber.io/handled-trigger": "now" };
  test.each<[string, Given, unknown]>([
    ["a PVC that is ready", {}, { schedule: CRON, manual: null }],
    ["a PVC that waits to be bound", { state: "waiting_for_pvc_bound" }, undefined],
    ["a PVC that is being restored", { state: "waiting_for_restore", annotations: ASKED }, undefined],
    ["a PVC that is too young", { state: "waiting_for_min_age" }, undefined],
    [
      "a request, which the minimum age does not hold up",
      { state: "waiting_for_min_age", annotations: ASKED },
      { schedule: null, manual: "now" },
    ],
    ["a disabled tier", { tier: "disabled", state: "disabled" }, undefined],
    ["the tier manual", { tier: "manual" }, undefined],
    [
      "a request in the tier manual",
      { tier: "manual", annotations: ASKED },
      { schedule: null, manual: "now" },
    ],
    ["a request", { annotations: ASKED }, { schedule: CRON, manual: "now" }],
    ["a request that was handled", { annotations: HANDLED }, { schedule: CRON, manual: null }],
    [
      "a request that VolSync has met",
      {
        annotations: ASKED,
        spec: { trigger: { manual: "now" } },
        status: { lastManualSync: "now" },
      },
      { schedule: CRON, manual: null },
    ],
    [
      "a request that somebody wrote into the ReplicationSource",
      { spec: { trigger: { manual: "mine" } }, status: { lastManualSync: "earlier" } },
      { schedule: CRON, manual: "mine" },
    ],
    [
      "that one once it was met",
      { spec: { trigger: { manual: "mine" } }, status: { lastManualSync: "mine" } },
      { schedule: CRON, manual: null },
    ],
  ])("%s", (_, given, wanted) => {
    expect(trigger(given)).toEqual(wanted);
  });

  test("spreads PVCs over the hour, each at the same minute again", () => {
    const { settings, asked } = request();
    const minutes = Array.from({ length: 60 }, (_, i) => {
      const metadata = { ...asked.claim.metadata, name: `pvc-${i}` };
      return sourceTrigger({ ...asked, claim: { ...asked.claim, metadata } }, settings)?.schedule?.split(
        " ",
      )[0];
    });
    expect(new Set(minutes).size).toBeGreaterThan(25);
    expect(trigger()).toEqual(trigger());
  });
});
