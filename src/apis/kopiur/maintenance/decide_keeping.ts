import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergeConditions, type WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { AnyRepository } from "../references.ts";
import { givesWay, isDefault } from "../rules/other_maintenance.ts";
import { intactCondition, intactNews } from "./intact_condition.ts";

export interface ObservedKeeping {
  readonly repository: AnyRepository;
  /** Those that name it and may maintain it. */
  readonly maintenances: readonly Maintenance[];
  /** Those that name it and may not. Default: there are none. */
  readonly strangers?: readonly Maintenance[];
  /** The namespace in which one would be made by default is there, and is not going. */
  readonly placeIsThere: boolean;
  readonly now: number;
}

export interface KeepingDecision {
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
export function decideKeeping(observed: ObservedKeeping): KeepingDecision {
  const { repository, placeIsThere, strangers = [] } = observed;
  const { spec, status } = repository;
  // Nobody knows yet whether there is a repository at all.
  if (!status?.uniqueID) return NOTHING;
  const present = observed.maintenances.filter(({ metadata }) => !metadata.deletionTimestamp);
  const wanted = spec.maintenance.enabled ? present : present.filter((one) => !isDefault(one));
  const keeper = wanted.find((one) => !givesWay(one, wanted));
  const remove = present.filter((one) => isDefault(one) && one !== keeper);
  if (keeper) return { ...keptBy(observed, keeper), create: false, remove };
  // One that may not maintain it was never a keeper that somebody could have deleted.
  const { maintenanceRef: last } = status;
  const remembered = last && !strangers.some((one) => keyOf(one) === keyOf(last));
  if (spec.maintenance.enabled && !remembered) {
    return placeIsThere ? { ...NOTHING, create: true } : NOTHING;
  }
  return { ...keptByNobody(observed), create: false, remove };
}

const NOTHING: KeepingDecision = { events: [], create: false, remove: [] };

type Told = Pick<KeepingDecision, "status" | "events">;

function keptBy({ repository, now }: ObservedKeeping, keeper: Maintenance): Told {
  const { name, namespace = "" } = keeper.metadata;
  const { conditions = [] } = repository.status ?? {};
  const claimed = keeper.status?.conditions?.find(({ type }) => type === CONDITIONS.ownershipClaimed);
  const owned: WantedCondition = {
    type: CONDITIONS.maintenanceOwned,
    status: claimed?.status ?? "Unknown",
    reason: claimed?.reason ?? "NotMaintainedYet",
    message:
      claimed?.message ?? "Who maintains the repository shows when it is maintained for the first time.",
  };
  const configured: WantedCondition = {
    type: CONDITIONS.maintenanceConfigured,
    status: "True",
    reason: isDefault(keeper) ? "ByDefault" : "Configured",
    message: `Maintenance ${keyOf(keeper)} maintains the repository.`,
  };
  const { missingData: before, ...kept } = repository.status ?? {};
  const { lastCheck } = keeper.status ?? {};
  const missing = lastCheck ? lastCheck.missing : before;
  const intact = intactCondition(lastCheck);
  const status = {
    ...kept,
    maintenanceRef: { name, namespace },
    ...(missing ? { missingData: missing } : {}),
    conditions: mergeConditions(conditions, [configured, owned, ...(intact ? [intact] : [])], now),
  };
  return { status, events: intact ? intactNews(conditions, intact) : [] };
}

function keptByNobody({ repository, now }: ObservedKeeping): Told {
  // Nobody looks any more whether anything is missing.
  const { maintenanceRef: last, conditions = [], missingData: _, ...kept } = repository.status ?? {};
  const { enabled } = repository.spec.maintenance;
  const reason = REASONS.maintenanceNotConfigured;
  const message = enabled
    ? `Nobody maintains the repository, since Maintenance ${last?.namespace}/${last?.name} was deleted: space is never given back. Create a Maintenance, or set spec.maintenance.enabled to false and back to true for one by default.`
    : "Nobody maintains the repository: space is never given back. Create a Maintenance, or set spec.maintenance.enabled to true for one by default.";
  const configured = { type: CONDITIONS.maintenanceConfigured, status: "False", reason, message } as const;
  const known = conditions.find(({ type }) => type === CONDITIONS.maintenanceConfigured);
  const gone: readonly string[] = [CONDITIONS.maintenanceOwned, CONDITIONS.intact];
  const others = conditions.filter(({ type }) => !gone.includes(type));
  return {
    status: {
      ...kept,
      // What is remembered keeps a deleted one from being made again.
      ...(enabled && last ? { maintenanceRef: last } : {}),
      conditions: mergeConditions(others, [configured], now),
    },
    events: known?.message === message ? [] : [{ type: "Warning", reason, message }],
  };
}
