import type { Place } from "../../core/work/queue/place.ts";
import { RANKS } from "../../core/work/queue/place.ts";
import type { Terms } from "../../core/work/queue/pool.ts";
import { isStillToCome } from "../../core/work/retry.ts";
import type { RunGate } from "../../core/work/run_policy.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../core/work/run_record.ts";
import { REASONS } from "../../kinds/kopiur/reasons.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { KopiurPorts } from "./ports.ts";
import { type AnyRepository, repositoryText } from "./references.ts";

export interface SeatQuestion {
  /** Whose run it is. */
  readonly owner: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
  /** Which of several runs of its owner that work beside each other. Default: its only one. */
  readonly seat?: string | undefined;
  /** What was said of this run so far. Default: what the owner's condition Ready says. */
  readonly said?: string | undefined;
  readonly kind: keyof typeof RANKS;
  /** The recipe that it follows, or whatever else is one piece of work of its namespace. */
  readonly recipe: string;
  /** Nothing else may work on the repository beside it. Default false. */
  readonly exclusive?: boolean;
  readonly repository: AnyRepository;
  /** What is remembered of the run; absent at first. */
  readonly record: RunRecord | undefined;
}

/** Whether a run may begin, and where it stands if it has to ask. */
export interface Seat {
  readonly gate: RunGate;
  readonly place?: Place;
}

/** Whoever waits is woken when it is its turn; this is only for what nobody thought of, in milliseconds. */
const PATIENCE = 600_000;

/** How much may be done at once on a repository, as its object says. */
export function termsOf({ spec, status }: AnyRepository): Terms {
  return { maxRuns: spec.concurrency.maxRuns, breaker: status?.breaker?.state ?? "Closed" };
}

/** Asks for a seat for a run that needs a Job now. One that has its Job needs none. */
export function seatFor(
  { pools, clock }: Pick<KopiurPorts, "pools" | "clock">,
  question: SeatQuestion,
): Seat {
  const { owner, seat, kind, recipe, exclusive = false, repository, record = FIRST_ATTEMPT } = question;
  if (!needsJob(record, clock.now())) return { gate: { open: true } };
  const terms = termsOf(repository);
  const { place, running, waiting } = pools.ask({
    owner: owner.metadata.uid,
    seat,
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

function needsJob({ job, outcome, notBefore }: RunRecord, now: number): boolean {
  return job === undefined && outcome === undefined && !isStillToCome(notBefore, now);
}

interface Words {
  readonly reason: string;
  readonly message: string;
}

function queued(repository: AnyRepository, running: number, waiting: number): Words {
  const name = repositoryText(keyOf(repository));
  const message = `It waits for its turn at ${name}. When it came, ${running} runs worked there, and ${waiting} others waited; the repository's concurrency.maxRuns says how many may work at once.`;
  return { reason: REASONS.queued, message };
}

function failing(repository: AnyRepository): Words {
  const { consecutiveFailures = 0, errorClass = "" } = repository.status?.breaker ?? {};
  const name = repositoryText(keyOf(repository));
  const message = `The storage of ${name} failed ${consecutiveFailures} times in a row (${errorClass}). Work on it waits, and one run at a time looks whether it is back: see the repository's status.breaker.`;
  return { reason: REASONS.breakerOpen, message };
}

/** What it says already while it waits for the same reason: numbers that change are no news. */
function said({ owner, said: before }: SeatQuestion, why: Words): Words {
  if (before !== undefined)
    return firstSentence(before) === firstSentence(why.message) ? { ...why, message: before } : why;
  const ready = owner.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.reason === why.reason ? { ...why, message: ready.message } : why;
}

function firstSentence(text: string): string {
  return text.split(". ", 1)[0] ?? "";
}
