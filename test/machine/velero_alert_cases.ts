import { sampleBackup, sampleRestore } from "../../src/apis/velero/data_path/testing/samples.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { World } from "../../tools/monitoring/testing/exposition.ts";
import type { AlertCase } from "./alert_case.ts";

const HOUR = 60;
const at = (hour: number) => `1970-01-01T0${hour}:00:00Z`;
const SHOP = { namespace: "velero", pod_namespace: "shop" };

const seen = (object: KubeObject, status: object): World => {
  const stated = { ...object, status };
  return { objects: [stated] };
};
const backup = (status: object) => seen(sampleBackup, status);
const restore = (status: object) => seen(sampleRestore, status);

/** Of Velero's PodVolumeBackups and PodVolumeRestores. */
export const VELERO_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastPodVolumeBackupFailed",
    story: "a backup fails after an hour, and stays as a record",
    stretches: [
      { minutes: HOUR, world: backup({ phase: "InProgress" }) },
      { minutes: 3 * HOUR, world: backup({ phase: "Failed", completionTimestamp: at(1) }) },
    ],
    notYet: HOUR - 5,
    fires: HOUR + 30,
    labels: SHOP,
    summary: "PodVolumeBackups of pods in shop failed",
    ended: 2 * HOUR + 5,
  },
  {
    alert: "HoldfastPodVolumeRestoreFailed",
    story: "a restore fails after an hour, and stays as a record",
    stretches: [
      { minutes: HOUR, world: restore({ phase: "InProgress" }) },
      { minutes: 3 * HOUR, world: restore({ phase: "Failed", completionTimestamp: at(1) }) },
    ],
    notYet: HOUR - 5,
    fires: HOUR + 30,
    labels: SHOP,
    summary: "PodVolumeRestores of pods in shop failed",
    ended: 2 * HOUR + 5,
  },
  {
    alert: "HoldfastPodVolumeStuck",
    story: "nobody works on an accepted backup, until its timeout is seen to",
    stretches: [
      { minutes: HOUR, world: backup({ phase: "Accepted", acceptedTimestamp: at(0) }) },
      {
        minutes: HOUR,
        world: backup({ phase: "Failed", acceptedTimestamp: at(0), completionTimestamp: at(1) }),
      },
    ],
    notYet: 33,
    fires: 50,
    labels: { ...SHOP, kind: "PodVolumeBackup" },
    summary: "A PodVolumeBackup of a pod in shop is stuck",
    ended: HOUR + 5,
  },
];
