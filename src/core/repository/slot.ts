import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { Place } from "../work/queue/place.ts";
import { RANKS } from "../work/queue/place.ts";
import type { QueueLimits } from "../work/queue/repository_queue.ts";
import { isStillToCome } from "../work/retry.ts";
import type { RunGate } from "../work/run_policy.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import { type Repository, repositoryName } from "./repository.ts";

export interface SlotQuestion {
  /** Whose run it is. */
  readonly owner: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
  /** Which of several runs of its owner that work beside each other. Default: its only one. */
  readonly slot?: string | undefined;
  /** What was said of this run so far. Default: what the owner's condition Ready says. */
  readonly said?: string | undefined;
  readonly kind: keyof typeof RANKS;
  /** The recipe that it follows, or whatever else is one piece of work of its namespace. */
  readonly recipe: string;
  /** Nothing else may work on the repository beside it. Default false. */
  readonly exclusive?: boolean;
  readonly repository: Repository;
  /** What is remembered of the run; absent at first. */
  readonly record: RunRecord | undefined;
}

/** Whether a run may begin, and where it stands if it has to ask. */
export interface Slot {
  readonly gate: RunGate;
  readonly place?: Place;
}

/** Whoever waits is woken when it is its turn; this is only for what nobody thought of, in milliseconds. */
const PATIENCE = 600_000;

/** How much may be done at once on a repository, as its object says. */
export function queueLimitsOf({ spec, status }: Repository): QueueLimits {
  return { maxRuns: spec.concurrency.maxRuns, breaker: status?.breaker?.state ?? "Closed" };
}

/** Asks for a slot for a run that needs a Job now. One that has its Job needs none. */
export function slotFor(
  { queues, clock }: Pick<EngineRoom, "queues" | "clock">,
  question: SlotQuestion,
): Slot {
  const { owner, slot, kind, recipe, exclusive = false, repository, record = FIRST_ATTEMPT } = question;
  if (!needsJob(record, clock.now())) return { gate: { open: true } };
  const terms = queueLimitsOf(repository);
  const { place, running, waiting } = queues.ask({
    owner: owner.metadata.uid,
    slot,
    pool: repository.metadata.uid,
    terms,
    claimant: {
      rank: RANKS[kind],
      tenant: `${owner.metadata.namespace ?? ""}/${recipe}`,
      ...(exclusive ? { exclusive } : {}),
      ...(kind === "maintenance" ? { steady: true } : {}),
    },
    place: record.place,
  });
  if (place.seated) return { gate: { open: true }, place };
  const why = terms.breaker === "Closed" ? queued(repository, running, waiting) : failing(repository);
  return { gate: { open: false, patience: PATIENCE, ...said(question, why) }, place };
}

/** Whether the next thing that a run needs is a Job. */
export function needsJob({ job, outcome, notBefore }: RunRecord, now: number): boolean {
  return job === undefined && outcome === undefined && !isStillToCome(notBefore, now);
}

interface Words {
  readonly reason: string;
  readonly message: string;
}

function queued(repository: Repository, running: number, waiting: number): Words {
  const name = repositoryName(repository);
  const { maxRuns } = repository.spec.concurrency;
  const message = `Queued at ${name}. When it was queued, ${running} were running and ${waiting} waiting; the repository allows ${maxRuns} at once.`;
  return { reason: REASONS.queued, message };
}

function failing(repository: Repository): Words {
  const { consecutiveFailures = 0, errorClass = "" } = repository.status?.breaker ?? {};
  const name = repositoryName(repository);
  const message = `The storage of ${name} failed ${consecutiveFailures} times in a row (${errorClass}). New work waits, and one run at a time checks whether the storage is back. See the repository's condition StorageHealthy.`;
  return { reason: REASONS.breakerOpen, message };
}

/** What it says already while it waits for the same reason: numbers that change are no news. */
function said({ owner, said: before }: SlotQuestion, why: Words): Words {
  if (before !== undefined)
    return firstSentence(before) === firstSentence(why.message) ? { ...why, message: before } : why;
  const ready = owner.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.reason === why.reason ? { ...why, message: ready.message } : why;
}

function firstSentence(text: string): string {
  return text.split(". ", 1)[0] ?? "";
}
