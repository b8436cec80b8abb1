import { GENERATED, LABELS } from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { isGenerated } from "../output/generated_marks.ts";
import { decideProtection, type ObservedPvc } from "../protect/decide_protection.ts";
import type { JudgedPvc } from "../world.ts";

/** Who made the objects under the names of a PVC's own. */
export const OWNERS = ["pvc-plumber", "argocd", "helm", "orphan", "none"] as const;
export type OwnerClassification = (typeof OWNERS)[number];

/** What one PVC is told of in the audit. */
export interface AuditRow {
  readonly namespace: string;
  readonly pvc: string;
  readonly label_source: "pvc-plumber" | "legacy" | "exempt" | "none";
  /** What the operator does, or would do: see `gate`. */
  readonly action: string;
  readonly owner_classification: OwnerClassification;
  readonly stale: boolean;
  readonly mode: string;
  readonly restore_mode: string;
  /** Open, or why it is shut. */
  readonly gate: string;
  readonly tier: string;
  readonly backup_identity: string;
  readonly backup_exists: "yes" | "no" | "unknown";
  readonly newest_backup?: string;
  readonly decision: string;
  readonly decision_message: string;
  readonly source_state: string;
  readonly backup_config: string;
  readonly backup_schedule: string;
  readonly restore: string;
  readonly repository: string;
  readonly uid: number;
  readonly gid: number;
  readonly duplicate_of?: string;
  readonly exempt_reason?: string;
  readonly problems: readonly string[];
}

/** All that is known of a PVC. */
export function auditRow(observed: ObservedPvc & JudgedPvc, repository: string): AuditRow {
  const { object, pvc, gate, restore, truth, source, wanted, present, duplicate } = observed;
  const { namespace = "", name, labels = {} } = object.metadata;
  const asks = pvc.enabled !== undefined;
  return {
    namespace,
    pvc: name,
    label_source: asks ? "pvc-plumber" : pvc.exempt ? "exempt" : labels[LABELS.legacy] ? "legacy" : "none",
    action: asks ? decideProtection(observed).action : "none",
    owner_classification: ownerOf([present.config, present.schedule, present.restore]),
    stale: truth.answer === "unknown" || truth.stale,
    mode: gate.open ? pvc.mode : "audit",
    restore_mode: gate.open ? pvc.restoreMode : "audit",
    gate: gate.open ? "open" : gate.why,
    tier: pvc.tier ?? labels[LABELS.tier] ?? pvc.legacy ?? "",
    backup_identity: pvc.identity.text,
    backup_exists: truth.answer,
    ...(truth.answer === "yes" ? { newest_backup: truth.newestAt } : {}),
    decision: restore.reason,
    decision_message: restore.message,
    source_state: asks ? source.state : "",
    backup_config: wanted.config?.object.metadata.name ?? "",
    backup_schedule: wanted.schedule?.object.metadata.name ?? "",
    restore: wanted.restore.object.metadata.name,
    repository,
    uid: pvc.uid,
    gid: pvc.gid,
    ...(duplicate === undefined ? {} : { duplicate_of: duplicate }),
    ...(pvc.exempt?.reason === undefined ? {} : { exempt_reason: pvc.exempt.reason }),
    problems: pvc.problems.map(({ message }) => message),
  };
}

/** Those that Argo CD, Flux or Helm look after are theirs; those that nobody does are left over from somebody. */
export function ownerOf(objects: readonly (KubeObject | undefined)[]): OwnerClassification {
  const present = objects.filter((one) => one !== undefined);
  const foreign = present.find((one) => !isGenerated(one)) ?? present[0];
  if (!foreign) return "none";
  if (isGenerated(foreign)) return "pvc-plumber";
  const { labels = {}, annotations = {} } = foreign.metadata;
  if (annotations["argocd.argoproj.io/tracking-id"] ?? labels["argocd.argoproj.io/instance"]) return "argocd";
  const manager = labels[GENERATED.managedBy];
  if (manager === "argocd") return "argocd";
  return manager === "Helm" || annotations["meta.helm.sh/release-name"] ? "helm" : "orphan";
}
