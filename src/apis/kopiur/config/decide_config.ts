import { privilegeForbidden } from "../../../core/consent/privileges.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import {
  conditionsFor,
  newsOf,
  type ReadyState,
  readyStateOf,
  wakeFor,
} from "../../../core/reconcile/ready_state.ts";
import { problemOf, type Violation } from "../../../core/reconcile/violation.ts";
import { moverOver } from "../../../core/repository/mover.ts";
import { readOnlyViolation } from "../../../core/repository/read_only.ts";
import { givesWayTo } from "../../../core/rules/identity_collision.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { settingsOfConfig } from "../backup/plan.ts";
import { roomProblem } from "../backup/status_room.ts";
import type { Decision } from "../decision.ts";
import { type AnyRepository, resolvedRepository } from "../references.ts";
import type { RepositoryUse } from "../repository_use.ts";
import {
  configCollision,
  configHolder,
  configPathsChanged,
  identityDefaultsOf,
} from "../rules/config_identity.ts";
import { configLimits } from "../rules/config_limits.ts";
import { sourcesOf } from "./sources.ts";

export interface ObservedConfig {
  readonly config: BackupConfig;
  /** The repository that it refers to. */
  readonly use: Pick<RepositoryUse, "repository" | "ready">;
  /** Why it may not refer to what it refers to in other namespaces. */
  readonly crossing?: Problem | undefined;
  /** The BackupConfigs of the same repository, itself included or not. */
  readonly others: readonly BackupConfig[];
  /** It names a claim that holds a repository. */
  readonly store?: Violation | undefined;
  /** Names of the claims that it names and that are not there. */
  readonly absent?: readonly string[];
  /** Those of its namespace, where it selects some. */
  readonly claims: Iterable<KubeObject>;
  /** Why its volumes cannot be captured as it says, whenever a Backup tries. */
  readonly capture?: Problem | undefined;
  /** Whether its volumes can be captured at one moment; absent where that is not asked for, or not known. */
  readonly group?: Result<true, Problem> | undefined;
  /** Its namespace lets movers have privileges. */
  readonly consent: boolean;
  /** Why its movers could not have the repository's credentials. */
  readonly lending?: Problem | undefined;
  readonly now: number;
}

type Resolved = NonNullable<BackupConfigStatus["resolved"]>;

/** Whether a BackupConfig can be run, and what a run of it would use. */
export function decideConfig(observed: ObservedConfig): Decision<BackupConfigStatus> {
  const { now } = observed;
  const resolution = resolve(observed);
  // Its identity is known also where it cannot be run: what there is of it can be restored.
  const fields = resolution.ok ? { resolved: resolution.value } : {};
  const problem = resolution.ok ? obstacle(observed) : resolution.error;
  if (problem) {
    const phase = problem.class === "transient" ? "Pending" : "Failed";
    return decided(observed, readyStateOf(problem), { phase, ...fields }, wakeFor(problem, now));
  }
  const readyState: ReadyState = {
    state: "ready",
    reason: "Resolved",
    message: readyMessage(observed.absent),
  };
  return decided(observed, readyState, { phase: "Ready", ...fields });
}

function readyMessage(absent: readonly string[] = []): string {
  if (absent.length === 0) return "The BackupConfig can be run.";
  const names = absent.length > 1 ? `PVCs ${absent.join(", ")} do` : `PVC ${absent[0]} does`;
  return `The BackupConfig is in order, and ${names} not exist: its Backups wait until it is there. Create it, restore it, or correct spec.sources.`;
}

/** Why a BackupConfig cannot be run that is itself in order. */
function obstacle({ config, use, consent, lending, capture, group }: ObservedConfig): Problem | undefined {
  const { metadata, spec } = config;
  const mover = moverOver(use.repository?.spec.moverDefaults, spec.mover);
  const forbidden = consent
    ? undefined
    : privilegeForbidden(mover, {
        namespace: metadata.namespace ?? "",
        annotation: ANNOTATIONS.allowPrivilegedMovers,
      });
  if (forbidden) return problemOf(forbidden);
  const readOnly = use.repository && readOnlyViolation(use.repository, "backup", "spec.repository");
  if (readOnly) return problemOf(readOnly);
  if (lending) return lending;
  if (capture) return capture;
  return group && !group.ok ? group.error : undefined;
}

function resolve({
  config,
  use,
  crossing,
  store,
  others,
  claims,
}: ObservedConfig): Result<Resolved, Problem> {
  const { spec } = config;
  if (!use.ready.ok) return use.ready;
  if (crossing) return err(crossing);
  const repository = use.ready.value;
  const { engine, backend } = repository.spec;
  const [limit] = configLimits(config, engine);
  if (limit) return err(problemOf(limit));
  if (store) return err(problemOf(store));
  const defaults = identityDefaultsOf(repository);
  const holder = configHolder(config, defaults);
  if (!holder.ok) return err(problemOf(holder.error));
  const sources = sourcesOf({ config, backend, claims });
  if (!sources.ok) return sources;
  const moved = configPathsChanged(config, holder.value, sources.value);
  if (moved) return err(problemOf(moved));
  const crowded = roomProblem({
    sources: sources.value,
    identity: holder.value,
    recipe: settingsOfConfig(spec),
  });
  if (crowded) return err(crowded);
  const identity = { ...holder.value, sources: sources.value };
  const collision = configCollision({
    config: { ...config, status: { ...config.status, resolved: { identity } } },
    others: others.filter((other) => givesWayTo(config, other)),
    defaults,
  });
  if (collision) return err(problemOf(collision));
  return ok({ repository: resolvedRepository(repository), identity });
}

function decided(
  { config, use, group, now }: ObservedConfig,
  readyState: ReadyState,
  fields: Pick<BackupConfigStatus, "phase" | "resolved">,
  wakeAt?: number,
): Decision<BackupConfigStatus> {
  const { generation } = config.metadata;
  const { namespaces: _, ...kept } = config.status ?? {};
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      conditions: conditionsFor(
        config,
        readyState,
        [reachable(use.repository), ...grouped(group)],
        now,
      ).filter(({ type }) => group !== undefined || type !== CONDITIONS.groupSnapshotSupported),
    },
    intents: [],
    events: newsOf(config, readyState),
    wakeAt,
  };
}

function grouped(group: Result<true, Problem> | undefined): readonly WantedCondition[] {
  if (!group) return [];
  const type = CONDITIONS.groupSnapshotSupported;
  if (!group.ok) return [{ type, status: "False", reason: group.error.reason, message: group.error.message }];
  const message = "The driver can capture the volumes at one moment.";
  return [{ type, status: "True", reason: "Supported", message }];
}

function reachable(repository: AnyRepository | undefined): WantedCondition {
  const connected = repository?.status?.conditions?.find(({ type }) => type === CONDITIONS.connected);
  const {
    status = "Unknown",
    reason = "RepositoryNotFound",
    message = "The repository is not known.",
  } = connected ?? {};
  return { type: CONDITIONS.repositoryReachable, status, reason, message };
}
