import { FIRST_ATTEMPT, type RunRecord, renewed } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { BY_NAMESPACE, BY_RECIPE, type KopiurCaches } from "../caches.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { recordOf } from "../records.ts";
import type { AnyRepository } from "../references.ts";
import { useRepository } from "../repository_use.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { type Seat, seatFor } from "../seat.ts";
import { isCancelled } from "./backup_wishes.ts";
import { gateOfCopies, readyVolumes } from "./copies.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import { configKey, type Frozen, failurePolicyOf, freeze, frozenOf, mayRefer } from "./frozen.ts";
import { inRound } from "./hooks_memory.ts";
import { gateOfHooks, mayCapture, observeHooks, unlessLost } from "./hooks_view.ts";
import { inheritedFor } from "./inherited_for.ts";
import { namedRuns } from "./named_runs.ts";
import { observeCopies } from "./observe_copies.ts";
import { observeLateRuns } from "./observe_late_runs.ts";
import { SNAPSHOT, snapshotTask } from "./snapshot_task.ts";
import { isWaiting, memoryOf } from "./staging_memory.ts";
import { withdrawnReach } from "./withdrawn_reach.ts";

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
function freezeNow(ports: KopiurPorts, backup: Backup): Result<Frozen, Problem> {
  const { caches } = ports;
  const config = caches.configs.get(configKey(backup));
  const claims = new Map<string, KubeObject>();
  for (const claim of config ? claimsFor(caches, config) : []) claims.set(keyOf(claim), claim);
  const { namespace = "" } = backup.metadata;
  const repository =
    config && useRepository(ports, config.spec.repository, { namespace, witnesses: [config] }).ready;
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
): Promise<Required<Pick<ObservedBackup, "run">> & Pick<ObservedBackup, "copies" | "hooks" | "late">> {
  const { namespace = "" } = backup.metadata;
  const key = configKey(backup);
  const config = ports.caches.configs.get(key);
  const { repository, ready } = useRepository(ports, frozen.repository, { namespace, witnesses: [config] });
  const withdrawn = withdrawnReach(ports, backup, config);
  const cancelled = cancel || isCancelled(backup);
  const record = renewed(recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT, edition(backup));
  const seat = ready.ok && !withdrawn && !cancelled ? seatOf(ports, backup, record, ready.value) : undefined;
  const others =
    ready.ok && !withdrawn ? (seat?.gate ?? { open: true }) : gateOf(withdrawn ? err(withdrawn) : ready);
  const asked = { backup, frozen, record, gate: others, cancelled };
  const seen = await observeHooks(ports, asked, signal);
  const allowed = seen ? mayCapture(seen) && (others.open || inRound(seen.memory)) : others.open;
  const view = { backup, frozen, record, wanted: allowed && !cancelled };
  const staged = await observeCopies(ports, view, signal);
  const hooks = unlessLost(seen, staged);
  const found = hooks === seen ? staged : undefined;
  const copies = { ...(found ? { copies: found } : {}), ...(hooks ? { hooks } : {}) };
  if (!repository) return { run: ready as Result<never, Problem>, ...copies };
  const ground = await groundOf(ports, repository, namespace, signal);
  const { moverDefaults } = repository.spec;
  const inherited = await inheritedFor(ports, { ...view, moverDefaults }, signal);
  const named = mayRefer(frozen) ? namedRuns(ports.caches.backups.indexed(BY_RECIPE, key), frozen) : [];
  const { backoffLimit, activeDeadlineSeconds } = failurePolicyOf(backup, frozen);
  const request = {
    task: snapshotTask({ ...ground, backup, frozen, inherited, staged: readyVolumes(found), named }),
    status: backup.status,
    edition: edition(backup),
    policy: { backoffLimit, activeDeadlineSeconds },
    gate: [others, gateOfHooks(hooks)].find(({ open }) => !open) ?? gateOfCopies(found),
    place: seat?.place,
    cancel: cancelled || (hooks?.ending ?? false),
  };
  const late = await observeLateRuns(ports, { ...ground, backup, frozen, inherited, ready }, signal);
  return { run: await outlookOf(ports, request, signal), ...copies, ...(late ? { late } : {}) };
}

/** What waits for its next try at a copy takes nobody's seat meanwhile. */
function seatOf(ports: KopiurPorts, backup: Backup, record: RunRecord, repository: AnyRepository): Seat {
  const memory = memoryOf(backup.status);
  if (memory && isWaiting(memory, edition(backup), ports.clock.now())) return { gate: { open: true } };
  const recipe = backup.spec.configRef?.name ?? "";
  return seatFor(ports, { owner: backup, kind: "backup", recipe, repository, record });
}
