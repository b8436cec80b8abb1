import { PREPARE_TIMEOUT } from "../../src/apis/velero/data_path/next_phase.ts";
import type { Alert } from "./alerts.ts";

const FAILED = "velero_pod_volume_last_failure_timestamp_seconds";
const HOUR = 3_600;
/** When the operator should have ended what is being prepared, and a little more. */
const TOO_LONG = PREPARE_TIMEOUT / 1_000 + 300;

/** Of Velero's PodVolumeBackups and PodVolumeRestores. */
export const VELERO_ALERTS: readonly Alert[] = [
  {
    name: "HoldfastPodVolumeBackupFailed",
    severity: "warning",
    for: "0s",
    expr: `time() - max by (namespace, pod_namespace) (${FAILED}{kind="PodVolumeBackup"}) < ${HOUR}`,
    summary: "PodVolumeBackups of pods in {{ $labels.pod_namespace }} failed",
    description:
      "A PodVolumeBackup of a pod in {{ $labels.pod_namespace }} failed within the last hour. Velero's backup lacks that volume, and Velero does not try again before its next backup. Begin with: holdfast list podvolumebackups -n {{ $labels.namespace }}",
    when: "Within the last hour, a PodVolumeBackup has failed.",
  },
  {
    name: "HoldfastPodVolumeRestoreFailed",
    severity: "critical",
    for: "0s",
    expr: `time() - max by (namespace, pod_namespace) (${FAILED}{kind="PodVolumeRestore"}) < ${HOUR}`,
    summary: "PodVolumeRestores of pods in {{ $labels.pod_namespace }} failed",
    description:
      "A PodVolumeRestore of a pod in {{ $labels.pod_namespace }} failed within the last hour. The pod may wait in its init container, or run without its data. Begin with: holdfast list podvolumerestores -n {{ $labels.namespace }}",
    when: "Within the last hour, a PodVolumeRestore has failed.",
  },
  {
    name: "HoldfastPodVolumeStuck",
    severity: "warning",
    for: "0s",
    expr: `time() - min by (kind, namespace, pod_namespace) (velero_pod_volume_preparing_since_timestamp_seconds) > ${TOO_LONG}`,
    summary: "A {{ $labels.kind }} of a pod in {{ $labels.pod_namespace }} is stuck",
    description:
      "A {{ $labels.kind }} of a pod in {{ $labels.pod_namespace }} has been Accepted or Prepared for {{ $value | humanizeDuration }}. The operator ends it after 30 minutes, and has not: it does not work on it. Velero's backup or restore waits. Begin with: holdfast list {{ $labels.kind | toLower }}s -n {{ $labels.namespace }}",
    when: "For longer than the 30 minutes after which it should have failed, a PodVolumeBackup or PodVolumeRestore has been Accepted or Prepared.",
  },
];
