import { Failure } from "../../kube/failure.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { planTask } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import { type Slot, slotFor } from "../repository/slot.ts";
import type { RunContext } from "../repository/task_for.ts";
import type { StagedVolume } from "../volumes/staging/staging_decision.ts";
import { FIRST_ATTEMPT, renewed } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import type { BackupRequest } from "./backup.ts";
import { readyVolumes } from "./copies.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import {
  beingRestored,
  captureBy,
  type Entry,
  gateBeforeSlot,
  gateOfMover,
  inTime,
  mayCapture,
  type RestoresInto,
  readsNext,
  unlessLost,
} from "./gates.ts";
import { hooksMemoryOf } from "./hooks_memory.ts";
import { hasHooks } from "./hooks_series.ts";
import { inheritedFor } from "./inherited_for.ts";
import type { LateView } from "./late_runs.ts";
import { canRunAs, withOwnerSeen } from "./mover_owner.ts";
import { observeCopies } from "./observe_copies.ts";
import { observeHooks } from "./observe_hooks.ts";
import { observeLateRuns } from "./observe_late_runs.ts";
import { mayRefer } from "./plan.ts";
import { SNAPSHOT, snapshotTask } from "./snapshot_task.ts";
import { memoryOf } from "./staging_memory.ts";

/** What only the API of a backup can look up. */
export interface BackupLookup extends RestoresInto {
  /** The repository, if it may be used and answered when it was last asked. */
  readonly ready: Result<Repository, Problem>;
  /** What a run on it needs to know. Absent where it is not there: what runs already is looked after, whatever it may. */
  readonly context: (() => Promise<RunContext>) | undefined;
  /** Why the API does not let it begin any more. */
  readonly withdrawn: Problem | undefined;
  /** Runs whose snapshots stay, so that the backup may refer to them. */
  namedRuns(): readonly string[];
  /** What may keep snapshots that came late from being deleted now. */
  late(repository: Repository): LateView;
}

type RunView = Pick<ObservedBackup, "request" | "run" | "blocked" | "copies" | "hooks" | "late">;

/** Looks at the run of a backup, and asks for its slot where all before it is open. */
export async function observeBackup(
  ports: EngineRoom,
  backup: BackupRequest,
  { lookup, cancelled }: { readonly lookup: BackupLookup; readonly cancelled: boolean },
  signal: AbortSignal,
): Promise<RunView> {
  const { owner, plan } = backup;
  const { object } = owner;
  const { ready, withdrawn } = lookup;
  const fingerprint = specFingerprint(object);
  const record = renewed(recordOf(object.status, SNAPSHOT) ?? FIRST_ATTEMPT, fingerprint);
  const staging = memoryOf(object.status);
  const standing = { cancelled, record, staging, fingerprint, now: ports.clock.now() };
  const holds = readsNext(standing) ? beingRestored(plan, lookup) : NO_HOLDS;
  const entry = { ...standing, withdrawn, holds, ready };
  const context = await lookup.context?.();
  const request = { ...backup, plan: withOwnerSeen(plan, record) };
  const run = context && (await describeRun(ports, { context, backup: request, entry, lookup }, signal));
  const { gate, place } = enter(ports, backup, { ...entry, described: run?.described });
  const seen = await observeHooks(ports, { backup, standing, gate }, signal);
  const wanted = mayCapture({ gate, hooks: seen, cancelled });
  const by = captureBy(seen?.memory, plan.settings.hooks?.timeout);
  const staged = inTime(
    await observeCopies(ports, { backup, record, wanted, holds }, signal),
    by,
    standing.now,
  );
  const hooks = unlessLost(seen, staged);
  const copies = hooks === seen ? staged : undefined;
  const around = { ...(copies ? { copies } : {}), ...(hooks ? { hooks } : {}) };
  if (!run) return { request: ok(backup), run: ready as Result<never, Problem>, ...around };
  const { repository, inherited } = run;
  const asked = {
    task: run.described.ok ? run.task(readyVolumes(copies)) : run.described,
    status: object.status,
    edition: fingerprint,
    policy: {
      ...backup.failurePolicy,
      startBy: by,
      canRunAs: (seenOwner: Owner) => canRunAs(request.plan, repository, seenOwner),
    },
    gate: gateOfMover({ gate, hooks, copies }),
    place,
    cancel: cancelled || (hooks?.ending ?? false),
  };
  const late = await observeLateRuns(ports, { ...context, backup, inherited, lookup }, signal);
  const planned = await planTask(ports, asked, signal);
  const blocked = run.clear && !run.described.ok ? { blocked: true } : {};
  return { request: ok(request), run: planned, ...blocked, ...around, ...(late ? { late } : {}) };
}

interface Description {
  readonly context: RunContext;
  readonly backup: BackupRequest;
  readonly entry: Entry;
  readonly lookup: BackupLookup;
}

/**
 * The run as it would be made. What keeps it from being made is found out before anything is asked to wait for it: the
 * others at its repository, or the workload, which the hooks quiesce.
 */
async function describeRun(
  ports: EngineRoom,
  { context, backup, entry, lookup }: Description,
  signal: AbortSignal,
) {
  const { repository } = context;
  const { record } = entry;
  const before = gateBeforeSlot(entry);
  const clear = readsNext(entry) && ("ask" in before || before.open);
  const inherited = await inheritedFor(ports, { backup, record, repository, wanted: clear }, signal);
  const named = mayRefer(backup.plan) ? lookup.namedRuns() : [];
  const task = (staged: readonly StagedVolume[]) =>
    snapshotTask({ ...context, backup, inherited, staged, named });
  const made = task([]);
  const lent = made.ok && clear && startsRound(backup) ? await mayLend(ports, made.value, signal) : made;
  return { repository, inherited, clear, task, described: lent };
}

/** The hooks would be next, so that it matters whether all else is there. */
function startsRound({ owner, plan }: BackupRequest): boolean {
  const memory = hooksMemoryOf(owner.object.status);
  const between = memory === undefined || memory.moment === "Over";
  return hasHooks(plan.settings.hooks) && between && !memory?.captured;
}

async function mayLend(
  { tasks }: Pick<EngineRoom, "tasks">,
  task: RunTask,
  signal: AbortSignal,
): Promise<Result<RunTask, Problem>> {
  try {
    await tasks.mayLend(task, { signal });
    return ok(task);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { class: kind, reason, message } = error;
    return err({ class: kind, reason, message });
  }
}

const NO_HOLDS: Entry["holds"] = new Map();

/** What stands before hooks and capture: a slot is asked for where nothing else does. */
function enter(
  ports: Pick<EngineRoom, "queues" | "clock">,
  { owner, tenant: recipe }: BackupRequest,
  entry: Entry,
): Slot {
  const gate = gateBeforeSlot(entry);
  if ("open" in gate) return { gate };
  const { record } = entry;
  return slotFor(ports, { owner: owner.object, kind: "backup", recipe, repository: gate.ask, record });
}
