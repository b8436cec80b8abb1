import { tallyOf } from "../../src/apis/plumber/plumber_counters.ts";
import type { World } from "../../tools/monitoring/testing/exposition.ts";
import type { AlertCase } from "./alert_case.ts";

const REPO = "ClusterRepository pvc-plumber";
const HOUR = 60;

/** So many PVCs have been denied so far. */
const denied = (count: number): World => ({
  events: ({ byApi }) => {
    const tally = tallyOf(byApi.get("plumber"));
    const told = { operation: "CREATE", result: "denied", mode: "strict", answer: "unknown" } as const;
    for (let i = 0; i < count; i += 1) tally.admitted({ ...told, reason: "BackupStateUnknown" });
  },
});

const listed = (stale: boolean): World => ({
  events: ({ byApi }) => tallyOf(byApi.get("plumber")).readAge(REPO, { age: stale ? 300_000 : 1_000, stale }),
});

const META = { uid: "u", resourceVersion: "1", creationTimestamp: "1970-01-01T00:00:00Z" };

/** A labelled PVC, in a namespace with these labels. */
const labelled = (labels: Readonly<Record<string, string>>): World => ({
  objects: [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "media", ...META, labels } },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace: "media",
        name: "data",
        ...META,
        labels: {
          "pvc-plumber.io/enabled": "true",
          "pvc-plumber.io/manage-volsync": "true",
          "pvc-plumber.io/tier": "hourly",
        },
      },
    },
  ],
});

/** Of PVCs that are protected by their labels. */
export const PLUMBER_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastVolumeDenied",
    story: "a PVC is applied again and again, and then admitted",
    stretches: [
      { minutes: 10, world: denied(1) },
      { minutes: 5, world: denied(2) },
      { minutes: 5, world: denied(3) },
      { minutes: 40, world: denied(4) },
    ],
    notYet: 9,
    fires: 20,
    labels: { reason: "BackupStateUnknown", mode: "strict" },
    summary: "Labelled PVCs are denied: BackupStateUnknown",
    ended: 50,
  },
  {
    alert: "HoldfastBackupTruthStale",
    story: "the repository is away, and comes back",
    stretches: [
      { minutes: 10, world: listed(false) },
      { minutes: 40, world: listed(true) },
      { minutes: 30, world: listed(false) },
    ],
    notYet: 15,
    fires: 40,
    labels: { repo: REPO },
    summary: `Nobody knows which backups ${REPO} has`,
    ended: 60,
  },
  {
    alert: "HoldfastLabelledVolumeUnmanaged",
    story: "the namespace lacks its label, until somebody adds it",
    stretches: [
      { minutes: 2 * HOUR, world: labelled({}) },
      { minutes: HOUR, world: labelled({ "pvc-plumber.io/managed-namespace": "true" }) },
    ],
    notYet: HOUR - 10,
    fires: HOUR + 30,
    labels: { namespace: "media", reason: "MissingLabel" },
    summary: "Labelled PVCs of media get no backups: MissingLabel",
    ended: 2 * HOUR + 10,
  },
];
