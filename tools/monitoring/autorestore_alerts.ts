import type { Alert } from "./alerts.ts";

const RESTORE = "{{ $labels.namespace }}/{{ $labels.name }}";
const REPOSITORY = RESTORE;
const VOLUME = "{{ $labels.namespace }}/{{ $labels.pvc }}";
const DAY = 86_400;

/** As many in a row as keep retention from deleting good backups. */
const KEEP_FAILING = 3;

/** Of PVCs that BackupConfigs of AutoRestore have claimed, and their repositories. */
export const AUTORESTORE_ALERTS: readonly Alert[] = [
  {
    name: "HoldfastResticBackupStale",
    severity: "critical",
    for: "1h",
    expr: `time() - max by (namespace, pvc, target) (autorestore_backup_due_timestamp_seconds)
  > clamp_max(max by (namespace, pvc, target) (autorestore_backup_interval_seconds), ${DAY})
or max by (namespace, pvc, target) (autorestore_backup_consecutive_failures) >= ${KEEP_FAILING}`,
    summary: `PVC ${VOLUME} has no new backup in target {{ $labels.target }}`,
    description: `A backup of PVC ${VOLUME} in target {{ $labels.target }} was due, and none has completed since; or the last three have failed. Changes since its newest backup there would be lost with the volume. Begin with: holdfast list resticbackups -n {{ $labels.namespace }}`,
    when: "A backup of a PVC in a target of its BackupConfig was due and none has completed, and since then the next one was due as well, or a day has passed. Also when the last three have failed.",
  },
  {
    name: "HoldfastResticRestoreFailed",
    severity: "critical",
    for: "0s",
    expr: "max by (namespace, name, pvc) (autorestore_restore_failed) > 0",
    summary: `ResticRestore ${RESTORE} failed`,
    description: `ResticRestore ${RESTORE} has failed, and Holdfast does not try it again. Its workloads run again, and PVC {{ $labels.pvc }} may lack its data. If it does, no backup of the PVC is made. Begin with: holdfast explain resticrestore/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A ResticRestore is Failed, and no later one into its PVC has completed.",
  },
  {
    name: "HoldfastResticRestoreWaiting",
    severity: "critical",
    for: "30m",
    expr: "max by (namespace, name, pvc) (autorestore_restore_waiting) > 0",
    summary: `ResticRestore ${RESTORE} waits`,
    description: `ResticRestore ${RESTORE} has waited for half an hour, and workloads of PVC {{ $labels.pvc }} may be at zero until it ends. An automatic restore waits for as long as its repository does not answer. Begin with: holdfast explain resticrestore/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "For half an hour, a ResticRestore has waited for its repository, its PVC or a pod. The workloads of an automatic one stay at zero meanwhile.",
  },
  {
    name: "HoldfastResticRepositoryBroken",
    severity: "critical",
    for: "15m",
    expr: "max by (namespace, name, problem) (autorestore_repository_problem) > 0",
    summary: `ResticRepository ${REPOSITORY}: {{ $labels.problem }}`,
    description: `ResticRepository ${REPOSITORY} cannot be used (Unusable), a run read damaged data in it (Damaged), or its last check or verification did not succeed (CheckFailed). Its status gives the reason. Delete nothing in it. Begin with: holdfast explain resticrepository/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A ResticRepository is Failed or Unknown, a run read damaged data in it, or its last check or verification failed or found data missing.",
  },
];
