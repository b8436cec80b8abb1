import type { Alert } from "./alerts.ts";

/** Of PVCs that are protected by their labels. */
export const PLUMBER_ALERTS: readonly Alert[] = [
  {
    name: "HoldfastVolumeDenied",
    severity: "warning",
    for: "5m",
    expr: "sum by (reason, mode) (increase(pvc_plumber_admission_denied_total[15m])) > 0",
    summary: "Labelled PVCs are denied: {{ $labels.reason }}",
    description:
      "The webhook denied labelled PVCs in the last 15 minutes ({{ $labels.reason }}, mode {{ $labels.mode }}). Their workloads wait until somebody applies them again and they are admitted. Begin with: kubectl get events -A --field-selector reason=RestoreDenied",
    when: "For five minutes, PVCs with the labels of the API plumber have been denied. GitOps tools apply them again and again.",
  },
  {
    name: "HoldfastBackupTruthStale",
    severity: "critical",
    for: "15m",
    expr: "max by (repo) (holdfast_backup_list_stale) > 0",
    summary: "Nobody knows which backups {{ $labels.repo }} has",
    description:
      "The list of backups in {{ $labels.repo }} has been too old for 15 minutes, or was never read. Modes enforce and strict deny new labelled PVCs; audit and permissive create them empty. Begin with: holdfast doctor",
    when: "For 15 minutes, the list of backups that labelled PVCs are admitted by has been older than twice its interval, or was never read.",
  },
  {
    name: "HoldfastLabelledVolumeUnmanaged",
    severity: "warning",
    for: "1h",
    expr: "max by (namespace, reason) (holdfast_labelled_pvcs_unmanaged) > 0",
    summary: "Labelled PVCs of {{ $labels.namespace }} get no backups: {{ $labels.reason }}",
    description:
      "{{ $value }} PVCs of namespace {{ $labels.namespace }} have the label pvc-plumber.io/enabled, and the operator writes nothing for them ({{ $labels.reason }}). Begin with: holdfast coverage -n {{ $labels.namespace }}",
    when: "For an hour, PVCs have asked for protection by their label, and another label is missing or a value is wrong.",
  },
];
