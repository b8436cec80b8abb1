import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { keyOf } from "../../../kube/object.ts";
import { repositoryPlace } from "./repository_place.ts";
import type { Violation } from "./violation.ts";

/** A repository has one Maintenance: two would take turns at owning it. `others` may hold those of any repository. */
export function secondMaintenance(
  maintenance: Maintenance,
  others: readonly Maintenance[],
): Violation | undefined {
  const { metadata, spec } = maintenance;
  const place = placeOf(maintenance);
  const other = others.find((one) => {
    if (keyOf(one) === keyOf(metadata) || one.metadata.deletionTimestamp) return false;
    return placeOf(one) === place;
  });
  if (!other) return undefined;
  return {
    reason: "SecondMaintenance",
    field: "spec.repository",
    what: `${spec.repository.kind} ${spec.repository.name} cannot have a second Maintenance`,
    why: `Maintenance ${keyOf(other)} maintains it already`,
    fix: "Change that one, or delete it first",
  };
}

/** Whether the other one was first, so that this one has to give way. */
export function isLaterThan(maintenance: Maintenance, other: Maintenance): boolean {
  const age = ({ metadata }: Maintenance) => `${metadata.creationTimestamp} ${keyOf(metadata)}`;
  return age(other) < age(maintenance);
}

function placeOf({ metadata, spec }: Maintenance): string {
  return repositoryPlace(spec.repository, metadata.namespace ?? "");
}
