import { FIRST_ATTEMPT, type RunRecord, renewed } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { BY_RECIPE } from "../caches.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { recordOf, recordsOf } from "../records.ts";
import type { AnyRepository } from "../references.ts";
import { useRepository } from "../repository_use.ts";
import { type Seat, seatFor } from "../seat.ts";
import { isCancelled } from "./backup_wishes.ts";
import { beingRestored } from "./being_restored.ts";
import { gateOfCopies, readyVolumes } from "./copies.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import { freezeAgain, freezeNow } from "./freeze_now.ts";
import { configKey, type Frozen, failurePolicyOf, frozenOf, mayRefer } from "./frozen.ts";
import { inRound } from "./hooks_memory.ts";
import { gateOfHooks, mayCapture, observeHooks, unlessLost } from "./hooks_view.ts";
import { inheritedFor } from "./inherited_for.ts";
import { namedRuns } from "./named_runs.ts";
import { needsJob, observeCopies } from "./observe_copies.ts";
import { observeLateRuns } from "./observe_late_runs.ts";
import { canRunAs, withOwnerSeen } from "./owner_seen.ts";
import { SNAPSHOT, snapshotTask } from "./snapshot_task.ts";
import { isTrying, isWaiting, memoryOf, STAGING } from "./staging_memory.ts";
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
  const ends = options.cancel || isCancelled(backup);
  const again = before && !ends ? await freezeAgain(ports, backup, before, options.signal) : undefined;
  if (again) {
    const anew = startingOver(backup);
    return { backup: anew, frozen: ok(again), ...(await runOf(ports, anew, again, options)), now };
  }
  const frozen = before ? ok(before) : freezeNow(ports, backup);
  if (!frozen.ok) return { backup, frozen, now };
  return { backup, frozen, ...(await runOf(ports, backup, frozen.value, options)), now };
}

/** The Backup, when it is done by another recipe than before: what is remembered of that one's tries is of no use. */
function startingOver(backup: Backup): Backup {
  const { [STAGING]: _, ...work } = recordsOf(backup.status);
  return { ...backup, status: { ...backup.status, work } };
}

async function runOf(
  ports: KopiurPorts,
  backup: Backup,
  frozen: Frozen,
  { signal, cancel = false }: ObserveOptions,
): Promise<
  Required<Pick<ObservedBackup, "run">> &
    Partial<Pick<ObservedBackup, "frozen" | "copies" | "hooks" | "late">>
> {
  const { namespace = "" } = backup.metadata;
  const key = configKey(backup);
  const config = ports.caches.configs.get(key);
  const { repository, ready } = useRepository(ports, frozen.repository, { namespace, witnesses: [config] });
  const withdrawn = withdrawnReach(ports, backup, config);
  const cancelled = cancel || isCancelled(backup);
  const record = renewed(recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT, edition(backup));
  const due = !cancelled && record.outcome === undefined && needsJob(record, ports.clock.now());
  const holds = due ? beingRestored(ports.caches, frozen) : NO_HOLDS;
  // A try that is under way may have captured its volumes before, and goes on then.
  const held = isTrying(memoryOf(backup.status)) ? undefined : [...holds.values()][0];
  const shut = withdrawn ?? held;
  const seat = ready.ok && !shut && !cancelled ? seatOf(ports, backup, record, ready.value) : undefined;
  const others = ready.ok && !shut ? (seat?.gate ?? { open: true }) : gateOf(shut ? err(shut) : ready);
  const asked = { backup, frozen, record, gate: others, cancelled };
  const seen = await observeHooks(ports, asked, signal);
  const allowed = seen ? mayCapture(seen) && (others.open || inRound(seen.memory)) : others.open;
  const view = { backup, frozen, record, wanted: allowed && !cancelled, holds };
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
  const owned = withOwnerSeen(frozen, record);
  const request = {
    task: snapshotTask({ ...ground, backup, frozen: owned, inherited, staged: readyVolumes(found), named }),
    status: backup.status,
    edition: edition(backup),
    policy: {
      backoffLimit,
      activeDeadlineSeconds,
      canRunAs: (owner: Owner) => canRunAs(owned, repository, owner),
    },
    gate: [others, gateOfHooks(hooks)].find(({ open }) => !open) ?? gateOfCopies(found),
    place: seat?.place,
    cancel: cancelled || (hooks?.ending ?? false),
  };
  const late = await observeLateRuns(ports, { ...ground, backup, frozen, inherited, ready }, signal);
  const run = await outlookOf(ports, request, signal);
  return { frozen: ok(owned), run, ...copies, ...(late ? { late } : {}) };
}

const NO_HOLDS: ReadonlyMap<string, Problem> = new Map();

/** What waits for its next try at a copy takes nobody's seat meanwhile. */
function seatOf(ports: KopiurPorts, backup: Backup, record: RunRecord, repository: AnyRepository): Seat {
  const memory = memoryOf(backup.status);
  if (memory && isWaiting(memory, edition(backup), ports.clock.now())) return { gate: { open: true } };
  const recipe = backup.spec.configRef?.name ?? "";
  return seatFor(ports, { owner: backup, kind: "backup", recipe, repository, record });
}
