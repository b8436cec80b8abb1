import type { Violation } from "../../../core/reconcile/violation.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { repositoryKey } from "../references.ts";

/**
 * A repository has one Maintenance: two would take turns at owning it. One that was made by default is none that counts
 * against one that somebody wrote. `others` may hold those of any repository.
 */
export function secondMaintenance(
  maintenance: Maintenance,
  others: readonly Maintenance[],
): Violation | undefined {
  return others.map((other) => against(maintenance, other)).find((violation) => violation !== undefined);
}

/** As secondMaintenance, for one that is there already: of two, only one has to give way. */
export function givesWay(maintenance: Maintenance, others: readonly Maintenance[]): Violation | undefined {
  return others
    .filter((other) => isDefault(other) !== isDefault(maintenance) || isLaterThan(maintenance, other))
    .map((other) => against(maintenance, other))
    .find((violation) => violation !== undefined);
}

function against(maintenance: Maintenance, other: Maintenance): Violation | undefined {
  const { metadata, spec } = maintenance;
  if (keyOf(other) === keyOf(metadata) || other.metadata.deletionTimestamp) return undefined;
  if (placeOf(other) !== placeOf(maintenance)) return undefined;
  if (isDefault(other) && !isDefault(maintenance)) return undefined;
  return {
    reason: "SecondMaintenance",
    field: "spec.repository",
    what: `${spec.repository.kind} ${spec.repository.name} cannot have a second Maintenance`,
    why: `Maintenance ${keyOf(other)} maintains it already`,
    fix: "Change that one, or delete it first",
  };
}

/**
 * A repository of the whole cluster is maintained from the operator's namespace alone: whoever maintains it could keep
 * space from all who share it, or clean up under those who write there.
 */
export function foreignMaintenance(
  { metadata, spec }: Maintenance,
  operatorNamespace: string,
): Violation | undefined {
  const { kind, name } = spec.repository;
  if (kind !== "ClusterRepository" || metadata.namespace === operatorNamespace) return undefined;
  return {
    reason: "NotMaintainedFromHere",
    field: "spec.repository",
    forbidden: true,
    what: `ClusterRepository ${name} cannot be maintained from namespace ${metadata.namespace}`,
    why: `it is shared, and is maintained from the operator's namespace ${operatorNamespace} alone`,
    fix: `Have the Maintenance written in namespace ${operatorNamespace}, or use a Repository of your own`,
  };
}

/** Whether it was made by the operator, for a repository that had none. */
export function isDefault({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABELS.defaultMaintenance] === "true";
}

/** Whether the other one was first, so that this one has to give way. */
function isLaterThan(maintenance: Maintenance, other: Maintenance): boolean {
  const age = ({ metadata }: Maintenance) => `${metadata.creationTimestamp} ${keyOf(metadata)}`;
  return age(other) < age(maintenance);
}

function placeOf({ metadata, spec }: Maintenance): string {
  return repositoryKey(spec.repository, metadata.namespace ?? "");
}
