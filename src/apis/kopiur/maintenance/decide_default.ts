import {
  intactNews,
  isDamageRead,
  maintainedConditions,
  sparingDamage,
} from "../../../core/maintenance/maintained_conditions.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { isReadOnly, readOnlyViolation } from "../../../core/repository/read_only.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { AnyRepository } from "../references.ts";
import { givesWay, isDefault } from "../rules/other_maintenance.ts";

export interface ObservedMaintenances {
  readonly repository: AnyRepository;
  /** Those that name it and may maintain it. */
  readonly maintenances: readonly Maintenance[];
  /** Those that name it and may not. Default: there are none. */
  readonly strangers?: readonly Maintenance[];
  /** The namespace in which one would be made by default is there, and is not going. */
  readonly placeIsThere: boolean;
  readonly now: number;
}

export interface DefaultDecision {
  readonly status?: RepositoryStatus;
  readonly events: readonly EventNote[];
  /** A Maintenance with all defaults is to be made. */
  readonly create: boolean;
  /** Those that were made by default, and are not wanted any more. */
  readonly remove: readonly Maintenance[];
}

/**
 * Who looks after a repository. One that has no Maintenance gets one by default, once: whoever deletes it does not want
 * it, and says so. One that somebody writes takes its place.
 */
export function decideDefault(observed: ObservedMaintenances): DefaultDecision {
  const { repository, placeIsThere, strangers = [] } = observed;
  const { spec, status } = repository;
  // Nobody knows yet whether there is a repository at all.
  if (!status?.uniqueID) return NOTHING;
  const present = observed.maintenances.filter(({ metadata }) => !metadata.deletionTimestamp);
  const byDefault = spec.maintenance.enabled && !isReadOnly(repository);
  const wanted = byDefault ? present : present.filter((one) => !isDefault(one));
  const maintenance = wanted.find((one) => !givesWay(one, wanted));
  const remove = present.filter((one) => isDefault(one) && one !== maintenance);
  if (maintenance) return { ...maintainedBy(observed, maintenance), create: false, remove };
  // One that may not maintain it never did, so nobody can have deleted it for that.
  const { maintenanceRef: last } = status;
  const remembered = last && !strangers.some((one) => keyOf(one) === keyOf(last));
  if (byDefault && !remembered) {
    return placeIsThere ? { ...NOTHING, create: true } : NOTHING;
  }
  return { ...maintainedByNobody(observed), create: false, remove };
}

const NOTHING: DefaultDecision = { events: [], create: false, remove: [] };

type Told = Pick<DefaultDecision, "status" | "events">;

function maintainedBy({ repository, now }: ObservedMaintenances, maintenance: Maintenance): Told {
  const { name, namespace = "" } = maintenance.metadata;
  const { conditions = [] } = repository.status ?? {};
  const found = maintainedConditions(maintenance, isDefault(maintenance) ? "ByDefault" : "Configured");
  const wanted = sparingDamage(found, conditions, maintenance.status?.lastCheck);
  const { missingData: before, ...kept } = repository.status ?? {};
  const { lastCheck } = maintenance.status ?? {};
  const missing = lastCheck ? lastCheck.missing : before;
  const status = {
    ...kept,
    maintenanceRef: { name, namespace },
    ...(missing ? { missingData: missing } : {}),
    conditions: mergeConditions(conditions, wanted, now),
  };
  return { status, events: intactNews(conditions, wanted) };
}

function maintainedByNobody({ repository, now }: ObservedMaintenances): Told {
  // Nobody looks any more whether anything is missing.
  const { maintenanceRef: last, conditions = [], missingData: _, ...kept } = repository.status ?? {};
  const { enabled } = repository.spec.maintenance;
  const readOnly = readOnlyViolation(repository, "maintenance", "");
  const reason = readOnly ? REASONS.repositoryReadOnly : REASONS.maintenanceNotConfigured;
  const message = readOnly
    ? problemOf(readOnly).message
    : enabled
      ? `The repository has no Maintenance any more: Maintenance ${last?.namespace}/${last?.name} was deleted. The space of deleted snapshots is never given back. Create a Maintenance, or set spec.maintenance.enabled to false and back to true for one by default.`
      : "The repository has no Maintenance: the space of deleted snapshots is never given back. Create a Maintenance, or set spec.maintenance.enabled to true for one by default.";
  const configured = { type: CONDITIONS.maintenanceConfigured, status: "False", reason, message } as const;
  const known = conditions.find(({ type }) => type === CONDITIONS.maintenanceConfigured);
  const gone: readonly string[] = [CONDITIONS.maintenanceOwned, CONDITIONS.intact];
  const others = conditions.filter((one) => !gone.includes(one.type) || isDamageRead(one));
  return {
    status: {
      ...kept,
      // What is remembered keeps a deleted one from being made again; nobody deleted the one of a read-only repository.
      ...(enabled && last && !readOnly ? { maintenanceRef: last } : {}),
      conditions: mergeConditions(others, [configured], now),
    },
    events: readOnly || known?.message === message ? [] : [{ type: "Warning", reason, message }],
  };
}
