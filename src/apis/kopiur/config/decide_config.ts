import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { frozenRecipe } from "../backup/frozen.ts";
import { roomProblem } from "../backup/status_room.ts";
import type { Decision } from "../decision.ts";
import { moverOver } from "../mover.ts";
import type { Problem } from "../problem.ts";
import { type AnyRepository, resolvedRepository } from "../references.ts";
import type { RepositoryUse } from "../repository_use.ts";
import { type IdentityDefaults, pathsChanged, pinnedHolder } from "../rules/config_identity.ts";
import { extraArgViolations } from "../rules/extra_args.ts";
import { hookLimits } from "../rules/hook_limits.ts";
import { givesWayTo, identityCollision } from "../rules/identity_collision.ts";
import { privilegeForbidden } from "../rules/privileges.ts";
import { recipeLimits } from "../rules/recipe_limits.ts";
import { repeatedPaths } from "../rules/repeated_paths.ts";
import { problemOf } from "../rules/violation.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { sourcesOf } from "./sources.ts";

export interface ObservedConfig {
  readonly config: BackupConfig;
  /** The repository that it refers to. */
  readonly use: Pick<RepositoryUse, "repository" | "ready">;
  /** Why it may not refer to what it refers to in other namespaces. */
  readonly crossing?: Problem | undefined;
  /** The recipes of the same repository, itself included or not. */
  readonly others: readonly BackupConfig[];
  /** Those of its namespace, where it selects some. */
  readonly claims: Iterable<KubeObject>;
  /** Whether its volumes can be captured at one moment; absent where that is not asked for, or not known. */
  readonly group?: Result<true, Problem> | undefined;
  /** Its namespace lets movers have privileges. */
  readonly consent: boolean;
  readonly now: number;
}

type Resolved = NonNullable<BackupConfigStatus["resolved"]>;

/** Whether a recipe can be run, and what a run of it would use. */
export function decideConfig(observed: ObservedConfig): Decision<BackupConfigStatus> {
  const { now } = observed;
  const resolution = resolve(observed);
  // Its identity is known also where it cannot be run: what there is of it can be restored.
  const fields = resolution.ok ? { resolved: resolution.value } : {};
  const problem = resolution.ok ? obstacle(observed) : resolution.error;
  if (problem) {
    const phase = problem.class === "transient" ? "Pending" : "Failed";
    return decided(observed, standOf(problem), { phase, ...fields }, wakeFor(problem, now));
  }
  const stand: Stand = { state: "ready", reason: "Resolved", message: "The recipe can be run." };
  return decided(observed, stand, { phase: "Ready", ...fields });
}

/** Why a recipe cannot be run that is itself in order. */
function obstacle({ config, use, consent, group }: ObservedConfig): Problem | undefined {
  const { metadata, spec } = config;
  const mover = moverOver(use.repository?.spec.moverDefaults, spec.mover);
  const forbidden = consent ? undefined : privilegeForbidden(mover, metadata.namespace ?? "");
  if (forbidden) return problemOf(forbidden);
  return group && !group.ok ? group.error : undefined;
}

function resolve({ config, use, crossing, others, claims }: ObservedConfig): Result<Resolved, Problem> {
  const { spec } = config;
  if (!use.ready.ok) return use.ready;
  if (crossing) return err(crossing);
  const repository = use.ready.value;
  const { engine, backend } = repository.spec;
  const violations = [
    ...repeatedPaths(config),
    ...hookLimits(config),
    ...extraArgViolations(spec.policy.extraArgs),
    ...recipeLimits(config, engine),
  ];
  if (violations[0]) return err(problemOf(violations[0]));
  const defaults = identityDefaultsOf(repository);
  const holder = pinnedHolder(config, defaults);
  if (!holder.ok) return err(problemOf(holder.error));
  const sources = sourcesOf({ config, backend, claims });
  if (!sources.ok) return sources;
  const moved = pathsChanged(config, holder.value, sources.value);
  if (moved) return err(problemOf(moved));
  const crowded = roomProblem({ sources: sources.value, identity: holder.value, recipe: frozenRecipe(spec) });
  if (crowded) return err(crowded);
  const identity = { ...holder.value, sources: sources.value };
  const collision = identityCollision({
    config: { ...config, status: { ...config.status, resolved: { identity } } },
    others: others.filter((other) => givesWayTo(config, other)),
    defaults,
  });
  if (collision) return err(problemOf(collision));
  return ok({ repository: resolvedRepository(repository), identity });
}

function identityDefaultsOf({ spec }: AnyRepository): IdentityDefaults | undefined {
  return "identityDefaults" in spec ? spec.identityDefaults : undefined;
}

function decided(
  { config, use, group, now }: ObservedConfig,
  stand: Stand,
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
      conditions: conditionsFor(config, stand, [reachable(use.repository), ...grouped(group)], now).filter(
        ({ type }) => group !== undefined || type !== CONDITIONS.groupSnapshotSupported,
      ),
    },
    intents: [],
    events: newsOf(config, stand),
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
