import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import { type Problem, waits } from "../problem.ts";
import { type ReadyRepository, readyRepository, repositoryKey } from "../references.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import { configKey, type Frozen, freeze, frozenOf } from "./frozen.ts";
import { snapshotTask } from "./snapshot_task.ts";

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
  return { backup, frozen, run: await runOf(ports, backup, frozen.value, options), now };
}

/** The recipe as it is now. */
function freezeNow({ caches }: KopiurPorts, backup: Backup): Result<Frozen, Problem> {
  const key = configKey(backup);
  const config = key.ok ? caches.configs.get(key.value) : undefined;
  const claims = new Map<string, KubeObject>();
  for (const { pvc } of config?.status?.resolved?.identity?.sources ?? []) {
    const claim = caches.claims.get(pvc as ObjectKey);
    if (claim) claims.set(pvc, claim);
  }
  const place = config && repositoryKey(config.spec.repository, config.metadata.namespace ?? "");
  const repository: Result<ReadyRepository, Problem> = !place
    ? err(waits("RepositoryNotFound", "The repository is not known."))
    : place.ok
      ? readyRepository(caches.repositories.get(place.value), place.value)
      : place;
  return freeze({ backup, config, repository, claims });
}

async function runOf(
  ports: KopiurPorts,
  backup: Backup,
  frozen: Frozen,
  { signal, cancel = false }: ObserveOptions,
): Promise<Result<Outlook, Problem>> {
  const key = keyOf(frozen.repository);
  const repository = ports.caches.repositories.get(key);
  const ready = readyRepository(repository, key);
  if (!repository) return ready as Result<never, Problem>;
  const ground = await groundOf(ports, repository, signal);
  const { backoffLimit, activeDeadlineSeconds } = {
    ...frozen.recipe.failurePolicy,
    ...backup.spec.failurePolicy,
  };
  const request = {
    task: snapshotTask({ ...ground, backup, frozen }),
    status: backup.status,
    edition: edition(backup),
    policy: { backoffLimit, activeDeadlineSeconds },
    gate: gateOf(ready),
    cancel: cancel || backup.metadata.annotations?.[ANNOTATIONS.cancel] === "true",
  };
  return outlookOf(ports, request, signal);
}
