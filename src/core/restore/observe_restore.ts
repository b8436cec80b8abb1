import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import { keyOf } from "../../kube/object.ts";
import type { Result } from "../../lib/result.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf } from "../reconcile/records.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { type Claim, isMadeFor } from "../volumes/claim_request.ts";
import { isPrime, primeRunLabels } from "../volumes/populator/population_marks.ts";
import { look } from "../volumes/staging/look.ts";
import { FOREVER } from "../work/run_policy.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import { type HeldBack, observeHeldBack, unconfirmedDeletion } from "./in_place.ts";
import { isLost } from "./into_claim.ts";
import type { Through } from "./new_claim.ts";
import { observePrimeUse, observeThrough, observeUse } from "./observe_target.ts";
import { type Ask, askPurpose, type RestoreSource } from "./resolution.ts";
import { holdsFromStart, type Pinned, type Restore, type RestoreView, targetName } from "./restore.ts";
import type { KnownRestore, RestorePorts } from "./restore_ports.ts";
import { hasFailed, hasFailedWithoutRun, hasGivenUp, isWriting } from "./restore_stage.ts";
import {
  askTask,
  type NoRun,
  planRestoreRun,
  RESTORE,
  type RestoreContext,
  type RestoreTaskPlan,
  restoreTask,
} from "./restore_tasks.ts";
import { isIncomplete } from "./target_incomplete.ts";

/** Looks at a restore with a target, its source, its target and its runs. */
export async function observeRestore(
  ports: RestorePorts,
  known: KnownRestore,
  signal: AbortSignal,
): Promise<ObservedRestore> {
  const { restore, ownStatus } = known;
  const source = known.source({ pinned: restore.status?.resolved, target: targetName(restore) });
  const { resolution } = source;
  const claim = await targetClaim(ports, restore, signal);
  const held = await observeHeldBack(ports.client, restore, signal);
  const view = { restore, api: ports.api, now: ports.clock.now() };
  const targetBytes = known.targetBytes?.();
  const sized = targetBytes === undefined ? {} : { targetBytes };
  const later = isIncomplete(restore.status) ? { later: known.everInto?.() ?? [] } : {};
  const base = { ...view, ...source, ownStatus, claim, ...held, ...sized, ...later };
  // Who has given up needs no slot.
  if (!resolution.ok || hasGivenUp(restore) || hasFailedWithoutRun(restore)) return base;
  if (resolution.value.type === "Ask") {
    const asked = recordOf(restore.status, askPurpose(restore, resolution.value));
    // What has failed for good needs its workloads down no longer.
    const holds = holdsFromStart(restore) && !hasFailed(restore, asked);
    const use = holds ? await observeUse(ports, known, claim, signal) : undefined;
    if (use && use.type !== "Free") return { ...base, use };
    return { ...base, asking: await askingRun(ports, known, resolution.value, signal) };
  }
  const { pinned } = resolution.value;
  if (pinned.noSnapshot) return base;
  const write = (more: Omit<Written, "pinned"> = {}) => dataRun(ports, known, { pinned, ...more }, signal);
  // Whatever became of its claims, what is left of the run is tidied up.
  if (hasFailed(restore, recordOf(restore.status, RESTORE))) return { ...base, run: await write() };
  // A run that has begun is not stopped.
  const targetProblem = isWriting(restore)
    ? undefined
    : (known.targetProblem?.() ?? unconfirmedDeletion(base, pinned));
  if (targetProblem) return { ...base, targetProblem };
  const through = await observeThrough(ports, restore, claim, signal);
  if (isLost({ restore, claim, through }))
    return { ...base, ...(through ? { through } : {}), run: await write() };
  // Somebody else's claim of the target's name does not stop what is written into the prime claim.
  if (!through?.prime && !mayWrite(restore, claim)) return base;
  if (through) {
    const { prime: into } = through;
    if (!into) return { ...base, through };
    const use = await observePrimeUse(ports, restore, into, signal);
    return { ...base, through, use, run: await write({ into, use }) };
  }
  const use = await observeUse(ports, known, claim, signal);
  const seen = { ...base, ...(use ? { use } : {}) };
  return claim ? { ...seen, run: await write({ into: claim, use }) } : seen;
}

/**
 * Of an existing claim everything matters, of a new one only whose it is. One that is written is not taken for gone by
 * what the cache has not heard of yet.
 */
async function targetClaim(
  { claims, client }: Pick<RestorePorts, "claims" | "client">,
  restore: Restore,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const { namespace } = restore.metadata;
  const { pvc, pvcRef } = restore.spec.target ?? {};
  const name = (pvc ?? pvcRef)?.name;
  if (name === undefined) return undefined;
  if (pvc && !isWriting(restore)) return claims.get(keyOf({ namespace, name }));
  return look(client, PersistentVolumeClaims, { namespace, name }, { signal });
}

/** Nothing is written into a volume that was neither made for this nor named by somebody; a new claim is still to come. */
function mayWrite({ metadata, spec }: Restore, claim: Claim | undefined): boolean {
  if (spec.target?.pvcRef) return claim !== undefined;
  return claim === undefined || isMadeFor(claim, metadata.uid);
}

interface Written {
  readonly pinned: Pinned;
  /** Default: what it writes into is lost or not needed any more, and it is to end. */
  readonly into?: Claim;
  readonly use?: UseDecision | undefined;
}

function dataRun(
  ports: RestorePorts,
  known: KnownRestore,
  { pinned, into, use }: Written,
  signal: AbortSignal,
) {
  const { restore } = known;
  const { repository } = pinned;
  if (!repository) return undefined;
  const ours = restore.spec.target?.pvc !== undefined;
  const unseen = ours && !into?.spec?.volumeName;
  const prime = into !== undefined && isPrime(into);
  const labels = prime ? { labels: primeRunLabels(into) } : {};
  const claim = into?.metadata.name ?? targetName(restore) ?? "";
  const place = { purpose: RESTORE, claim, ours, prime, unseen, ...labels };
  // A run that has begun is not stopped.
  const held = use && use.type !== "Free" && !isWriting(restore);
  const run = {
    repository,
    make: (context: RestoreContext) => restoreTask(context, place, pinned),
    hold: held ? { reason: use.reason, message: use.message } : undefined,
    cancel: into === undefined,
  };
  return planRestoreRun(ports, known, run, signal);
}

type Question = Pick<Ask, "repository" | "identity" | "point">;

function askingRun(ports: RestorePorts, known: KnownRestore, asked: Question, signal: AbortSignal) {
  const { repository } = asked;
  const place = { purpose: askPurpose(known.restore, asked) };
  const make = (context: RestoreContext) => askTask(context, place, asked);
  // A storage that does not answer is not one that has nothing: what must not start empty waits for it.
  const patience = holdsFromStart(known.restore) ? { policy: FOREVER } : {};
  return planRestoreRun(ports, known, { repository, make, ...patience }, signal);
}

/** The run that asked the repository, once its answer is pinned: it is only to be tidied up. */
export async function earlierTasks(
  ports: RestorePorts,
  known: KnownRestore,
  { restore, resolution }: ObservedRestore,
  signal: AbortSignal,
): Promise<readonly TaskPlan[]> {
  if (!resolution.ok || resolution.value.type !== "Pinned") return [];
  const { repository, identity: pinned } = resolution.value.pinned;
  if (!repository || !pinned) return [];
  const { username, hostname, sourcePath: path } = pinned;
  const asked = { repository, identity: { username, hostname, path }, point: {} };
  if (!recordOf(restore.status, askPurpose(restore, asked))) return [];
  const plan = await askingRun(ports, known, asked, signal);
  return plan.ok ? [plan.value] : [];
}

/** What there is of a restore with a target. */
export interface ObservedRestore extends RestoreView, RestoreSource, HeldBack {
  /** What its API keeps in its status besides. */
  readonly ownStatus?: object | undefined;
  /** The claim of the target's name, where there is one. */
  readonly claim?: Claim | undefined;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreTaskPlan, NoRun> | undefined;
  /** The run that writes the data, once it is known what and where to. */
  readonly run?: Result<RestoreTaskPlan, NoRun> | undefined;
  /** Whether the target's volume may be written, or who gets it while it is. */
  readonly use?: UseDecision;
  /** The most that the last backups of the target's own volume held. */
  readonly targetBytes?: number;
  /** Why the existing claim may not be written: its API never lets it, or nobody has confirmed what is deleted. */
  readonly targetProblem?: Problem;
  /** What a new claim is filled through. */
  readonly through?: Through;
  /** When the new claim was refused last, which is what the restore says then. */
  readonly refusedAt?: number | undefined;
  /** Every restore into the same claim, where this one has left that incomplete. */
  readonly later?: readonly Restore[];
}
