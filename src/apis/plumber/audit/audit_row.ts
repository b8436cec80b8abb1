import type { Claim } from "../../../core/volumes/claim_request.ts";
import { LABELS } from "../../../kinds/plumber/words.ts";
import { type Deployer, deployedBy } from "../../../kube/deployed_by.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { differingFields } from "../../../kube/write/differing_fields.ts";
import { isGenerated } from "../output/generated_marks.ts";
import type { VolsyncBeside } from "../output/volsync_beside.ts";
import { decideProtection, type ObservedPvc } from "../protect/decide_protection.ts";
import type { JudgedPvc } from "../world.ts";

/** Who made the objects under the names of a PVC's own. */
type OwnerClassification = "pvc-plumber" | Deployer | "orphan" | "none";

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
  /** The names of its objects, whether or not they are there: of the native API, or of VolSync. Beside those of the native API, VolSync's that are there. */
  readonly backup_config?: string;
  readonly backup_schedule?: string;
  readonly restore?: string;
  readonly replication_source?: string;
  readonly replication_destination?: string;
  /** Where an object is somebody else's: the fields in which it differs. None: the operator's would be the same. */
  readonly drift: readonly string[];
  readonly repository: string;
  /** From which VolSync knows the repository. */
  readonly repository_secret?: string;
  /** The application, by its labels. */
  readonly app: string;
  readonly size: string;
  readonly uid: number;
  readonly gid: number;
  readonly duplicate_of?: string;
  readonly exempt_reason?: string;
  readonly problems: readonly string[];
}

/** All that is known of a PVC. */
export function auditRow(
  observed: ObservedPvc & JudgedPvc & { readonly object: Claim },
  { names, repository, volsync }: AuditPlace,
): AuditRow {
  const { object, pvc, gate, restore, truth, source, duplicate } = observed;
  const { namespace = "", name, labels = {} } = object.metadata;
  const asks = pvc.enabled !== undefined;
  const beside = volsync?.of(object.metadata);
  const sources = beside?.sources.map((source) => source.metadata.name) ?? [];
  return {
    namespace,
    pvc: name,
    label_source: asks ? "pvc-plumber" : pvc.exempt ? "exempt" : labels[LABELS.legacy] ? "legacy" : "none",
    action: asks ? decideProtection(observed).action : "none",
    owner_classification: ownerOf([
      ...(beside ? [...beside.sources, beside.destination] : []),
      ...Object.values(observed.present),
    ]),
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
    ...names(name),
    ...(sources.length > 0 ? { replication_source: sources.join(", ") } : {}),
    ...(beside?.destination ? { replication_destination: beside.destination.metadata.name } : {}),
    drift: asks ? driftOf(observed) : [],
    ...repository,
    app: APP_LABELS.map((label) => labels[label]).find((value) => value !== undefined) ?? "",
    size: object.spec?.resources?.requests?.storage ?? "",
    uid: pvc.uid,
    gid: pvc.gid,
    ...(duplicate === undefined ? {} : { duplicate_of: duplicate }),
    ...(pvc.exempt?.reason === undefined ? {} : { exempt_reason: pvc.exempt.reason }),
    problems: pvc.problems.map(({ message }) => message),
  };
}

const APP_LABELS = ["app.kubernetes.io/instance", "app.kubernetes.io/name", "app"];

/** What is the same for every PVC of an audit. */
export interface AuditPlace {
  readonly names: (pvc: string) => Partial<AuditRow>;
  readonly repository: Pick<AuditRow, "repository" | "repository_secret">;
  readonly volsync: VolsyncBeside | undefined;
}

function driftOf({ wanted, present }: ObservedPvc): readonly string[] {
  return (["config", "schedule", "restore"] as const).flatMap((part) => {
    const { [part]: there } = present;
    const { [part]: should } = wanted;
    if (!there || !should || isGenerated(there)) return [];
    return differingFields({ spec: should.object.spec }, there).map((field) => `${there.kind} ${field}`);
  });
}

/** Those that Argo CD, Flux or Helm look after are theirs; those that nobody does are left over from somebody. */
export function ownerOf(objects: readonly (KubeObject | undefined)[]): OwnerClassification {
  const present = objects.filter((one) => one !== undefined);
  const foreign = present.find((one) => !isGenerated(one)) ?? present[0];
  if (!foreign) return "none";
  if (isGenerated(foreign)) return "pvc-plumber";
  return deployedBy(foreign.metadata) ?? "orphan";
}
