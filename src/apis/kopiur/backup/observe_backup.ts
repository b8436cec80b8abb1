import { FIRST_ATTEMPT, renewed } from "../../../core/work/run_record.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { BY_NAMESPACE, type KopiurCaches } from "../caches.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import { type Problem, waits } from "../problem.ts";
import { recordOf } from "../records.ts";
import { type ReadyRepository, readyRepository, repositoryKey } from "../references.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { gateOfCopies, readyVolumes } from "./copies.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import { configKey, type Frozen, failurePolicyOf, freeze, frozenOf } from "./frozen.ts";
import { inheritedFor } from "./inherited_for.ts";
import { observeCopies } from "./observe_copies.ts";
import { SNAPSHOT, snapshotTask } from "./snapshot_task.ts";

export interface ObserveOptions {
  readonly signal: AbortSignal;
  /** The Backup is to end, whatever its annotations say. Default false. */
  readonly cancel?: boolean;
}

/** Looks at a Backup, its recipe and its run. */
export async function observeBackup(
  ports: KopiurPorts,
  backup: Backup,
  options: ObserveOptions,
): Promise<ObservedBackup> {
  const now = ports.clock.now();
  const before = frozenOf(backup.status);
  const frozen = before ? ok(before) : freezeNow(ports, backup);
  if (!frozen.ok) return { backup, frozen, now };
  return { backup, frozen, ...(await runOf(ports, backup, frozen.value, options)), now };
}

/** The recipe as it is now. */
function freezeNow({ caches }: KopiurPorts, backup: Backup): Result<Frozen, Problem> {
  const key = configKey(backup);
  const config = key.ok ? caches.configs.get(key.value) : undefined;
  const claims = new Map<string, KubeObject>();
  for (const claim of config ? claimsFor(caches, config) : []) claims.set(keyOf(claim), claim);
  const place = config && repositoryKey(config.spec.repository, config.metadata.namespace ?? "");
  const repository: Result<ReadyRepository, Problem> = !place
    ? err(waits("RepositoryNotFound", "The repository is not known."))
    : place.ok
      ? readyRepository(caches.repositories.get(place.value), place.value)
      : place;
  return freeze({ backup, config, repository, claims });
}

/** What a recipe names, or all that it may select from. */
function claimsFor({ claims }: KopiurCaches, config: BackupConfig): readonly KubeObject[] {
  const { namespace = "" } = config.metadata;
  if (hasSelector(config)) return claims.indexed(BY_NAMESPACE, namespace);
  return config.spec.sources.flatMap(
    ({ pvc }) => claims.get(keyOf({ namespace, name: pvc?.name ?? "" })) ?? [],
  );
}

async function runOf(
  ports: KopiurPorts,
  backup: Backup,
  frozen: Frozen,
  { signal, cancel = false }: ObserveOptions,
): Promise<Required<Pick<ObservedBackup, "run">> & Pick<ObservedBackup, "copies">> {
  const key = keyOf(frozen.repository);
  const repository = ports.caches.repositories.get(key);
  const ready = readyRepository(repository, key);
  const cancelled = cancel || backup.metadata.annotations?.[ANNOTATIONS.cancel] === "true";
  const record = renewed(recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT, edition(backup));
  const view = { backup, frozen, record, wanted: ready.ok && !cancelled };
  const found = await observeCopies(ports, view, signal);
  const copies = found ? { copies: found } : {};
  if (!repository) return { run: ready as Result<never, Problem>, ...copies };
  const ground = await groundOf(ports, repository, signal);
  const { moverDefaults } = repository.spec;
  const inherited = await inheritedFor(ports, { ...view, moverDefaults }, signal);
  const over = record.outcome !== undefined;
  const { backoffLimit, activeDeadlineSeconds } = failurePolicyOf(backup, frozen);
  const request = {
    task: snapshotTask({ ...ground, backup, frozen, inherited, staged: readyVolumes(found), over }),
    status: backup.status,
    edition: edition(backup),
    policy: { backoffLimit, activeDeadlineSeconds },
    gate: ready.ok ? gateOfCopies(found) : gateOf(ready),
    cancel: cancelled,
  };
  return { run: await outlookOf(ports, request, signal), ...copies };
}
