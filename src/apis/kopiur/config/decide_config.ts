import { type Holder, resolveHolder } from "../../../core/policy/identity.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { type Problem, refused } from "../problem.ts";
import { readyRepository, repositoryKey } from "../references.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { sourcesOf } from "./sources.ts";
import { unsupported } from "./unsupported.ts";

export interface ObservedConfig {
  readonly config: BackupConfig;
  /** The repository that it refers to, where there is one. */
  readonly repository: Repository | undefined;
  /** Those of its namespace, where it selects some. */
  readonly claims: Iterable<KubeObject>;
  /** Whether its volumes can be captured at one moment; absent where that is not asked for, or not known. */
  readonly group?: Result<true, Problem> | undefined;
  readonly now: number;
}

type Resolved = NonNullable<BackupConfigStatus["resolved"]>;

/** Whether a recipe can be run, and what a run of it would use. */
export function decideConfig(observed: ObservedConfig): Decision<BackupConfigStatus> {
  const { config, now } = observed;
  const resolution = resolve(observed);
  if (!resolution.ok) {
    const problem = resolution.error;
    const phase = problem.class === "transient" ? "Pending" : "Failed";
    return decided(observed, standOf(problem), { phase }, wakeFor(problem, now));
  }
  const stand: Stand = { state: "ready", reason: "Resolved", message: "The recipe can be run." };
  const { group } = observed;
  const wakeAt = group && !group.ok ? wakeFor(group.error, now) : undefined;
  return decided({ ...observed, config }, stand, { phase: "Ready", resolved: resolution.value }, wakeAt);
}

function resolve({ config, repository: found, claims }: ObservedConfig): Result<Resolved, Problem> {
  const { metadata, spec } = config;
  const namespace = metadata.namespace ?? "";
  const key = repositoryKey(spec.repository, namespace);
  if (!key.ok) return key;
  const repository = readyRepository(found, key.value);
  if (!repository.ok) return repository;
  const problem = unsupported(spec, repository.value.spec.engine);
  if (problem) return err(problem);
  const holder = identityOf(config);
  if (!holder.ok) return holder;
  const sources = sourcesOf({ config, backend: repository.value.spec.backend, claims });
  if (!sources.ok) return sources;
  const { name, uid } = repository.value.metadata;
  return ok({
    repository: { kind: "Repository", name, namespace, uid, uniqueID: repository.value.status.uniqueID },
    identity: { ...holder.value, sources: sources.value },
  });
}

/** An identity is pinned when it is first resolved: under another one, the earlier snapshots would not be found. */
function identityOf({ metadata, spec, status }: BackupConfig): Result<Holder, Problem> {
  const holder = resolveHolder({
    namespace: metadata.namespace ?? "",
    configName: metadata.name,
    explicit: spec.identity,
  });
  if (!holder.ok) return err(refused("InvalidIdentity", `${capital(holder.error)}. Set spec.identity.`));
  const pinned = status?.resolved?.identity;
  const wanted = text(holder.value);
  if (!pinned || text(pinned) === wanted) return holder;
  if (metadata.annotations?.[ANNOTATIONS.acknowledgeIdentity] === wanted) return holder;
  return err(
    refused(
      "IdentityChanged",
      `The snapshots so far are recorded as ${text(pinned)}; as ${wanted} none of them would be found. Set the identity back, or accept the change with the annotation ${ANNOTATIONS.acknowledgeIdentity}=${wanted}.`,
    ),
  );
}

const text = ({ username, hostname }: Holder) => `${username}@${hostname}`;
const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function decided(
  { config, repository, group, now }: ObservedConfig,
  stand: Stand,
  fields: Pick<BackupConfigStatus, "phase" | "resolved">,
  wakeAt?: number,
): Decision<BackupConfigStatus> {
  const { generation } = config.metadata;
  return {
    status: {
      ...config.status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      conditions: conditionsFor(config, stand, [reachable(repository), ...grouped(group)], now).filter(
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

function reachable(repository: Repository | undefined): WantedCondition {
  const connected = repository?.status?.conditions?.find(({ type }) => type === "Connected");
  const {
    status = "Unknown",
    reason = "RepositoryNotFound",
    message = "The repository is not known.",
  } = connected ?? {};
  return { type: "RepositoryReachable", status, reason, message };
}
