import type { EndedTask } from "../../../core/work/task_decision.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Result as Outcome } from "../../../lib/result.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import type { RepositoryStats, Result } from "../../../wire/report.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import type { Problem } from "../problem.ts";
import { recordsOf } from "../records.ts";
import type { AnyRepository } from "../references.ts";
import { sentence, shownFailure, shownLog, standOfTask, statusLog } from "../run_words.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { type Contact, isContact, nextContactAt } from "./contact.ts";

export interface ObservedRepository {
  readonly repository: AnyRepository;
  /** The run that is looked at. */
  readonly contact: Contact;
  /** What follows for that run; or why there can be none. */
  readonly connection: Outcome<Outlook, Problem>;
  readonly now: number;
}

/** What follows for a repository from how its run stands. */
export function decideRepository(observed: ObservedRepository): Decision<RepositoryStatus> {
  const { repository, contact, connection, now } = observed;
  if (!connection.ok) {
    const problem = connection.error;
    const told = { stand: standOf(problem), connected: unknown(problem) };
    return settled(observed, told, { phase: brokenPhase(repository), wakeAt: wakeFor(problem, now) });
  }
  const { record, state } = connection.value.decision;
  const others = Object.entries(recordsOf(repository.status)).filter(([purpose]) => !isContact(purpose));
  const work = { ...Object.fromEntries(others), [contact.purpose]: record };
  const doing = carryOut(connection.value);
  if (state.phase === "Ended") {
    // The outcome was recorded before, and with it all that is to be said until the next contact.
    if (!state.result && repository.status)
      return { ...doing, wakeAt: doing.wakeAt ?? nextContactAt(repository) };
    return settled(observed, ending(observed, state), { ...doing, work, ...endedFields(observed, state) });
  }
  const stand = standOfTask(state, "connecting to the repository");
  const failure = record.lastFailure;
  // What stood so far stands until there is news.
  if (contact.again && repository.status && !failure && !stand.warning) {
    return { status: { ...repository.status, work }, ...doing };
  }
  const shown = shownFailure(repository.status?.failure, failure, record, now);
  return settled(
    observed,
    { stand, connected: failure ? failed(failure) : unknown(stand) },
    {
      ...doing,
      work,
      phase: failure ? brokenPhase(repository) : waitingPhase(repository),
      ...(shown ? { failure: shown } : {}),
      ...shownLog(repository.status, connection.value.decision),
    },
  );
}

interface Told {
  readonly stand: Stand;
  readonly connected: WantedCondition;
}

type Fields = Partial<RepositoryStatus> &
  Omit<Decision<never>, "intents" | "status"> &
  Partial<Pick<Decision<never>, "intents">>;

function settled(observed: ObservedRepository, told: Told, fields: Fields): Decision<RepositoryStatus> {
  const { repository, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, logTail: __, ...kept } = repository.status ?? {};
  return {
    status: {
      ...kept,
      ...(repository.metadata.generation === undefined
        ? {}
        : { observedGeneration: repository.metadata.generation }),
      backend: Object.keys(repository.spec.backend)[0] ?? "",
      ...status,
      conditions: conditionsFor(repository, told.stand, [told.connected], now),
    },
    intents,
    events: newsOf(repository, told.stand),
    wakeAt,
  };
}

function ending({ repository, contact }: ObservedRepository, { result, outcome }: EndedTask): Told {
  const failure = result?.failure;
  if (failure) {
    return {
      stand: { state: "stalled", reason: failure.class, message: sentence(failure) },
      connected: failed(failure),
    };
  }
  if (outcome !== "Succeeded" || !result?.repository)
    return { stand: SUPERSEDED, connected: unknown(SUPERSEDED) };
  const { created, id } = result.repository;
  const before = contact.again && repository.status?.conditions?.find(({ type }) => type === "Ready");
  const { reason, message } =
    before && before.status === "True"
      ? before
      : created
        ? { reason: "Created", message: `The repository ${id} was created.` }
        : { reason: REASONS.connectFromConfig, message: `The repository ${id} answers.` };
  return {
    stand: { state: "ready", reason, message },
    connected: { type: CONDITIONS.connected, status: "True", reason, message },
  };
}

const SUPERSEDED: Stand = {
  state: "reconciling",
  reason: "Edited",
  message: "The repository was edited, and is connected to anew.",
};

function endedFields({ repository, now }: ObservedRepository, state: EndedTask): Fields {
  const { result } = state;
  const logTail = statusLog(state.logTail);
  if (state.outcome === "Cancelled") return { phase: waitingPhase(repository), wakeAt: now };
  if (state.outcome === "Succeeded" && result?.repository)
    return readyFields(repository, result, result.repository.id, now);
  const failure = shownFailure(undefined, result?.failure, { attempt: 1, step: "Work", failures: 1 }, now);
  return { phase: brokenPhase(repository), ...(failure ? { failure } : {}), ...(logTail ? { logTail } : {}) };
}

function readyFields({ status }: AnyRepository, result: Result, uniqueID: string, now: number): Fields {
  const stats = result.answer && "init" in result.answer ? result.answer.init : undefined;
  const at = timestamp(now);
  return {
    phase: "Ready",
    uniqueID,
    lastContactAt: at,
    ...(stats ? { storageStats: { ...status?.storageStats, ...storageStats(stats, at) } } : {}),
  };
}

function storageStats(
  { snapshots, storedBytes }: RepositoryStats,
  at: string,
): NonNullable<RepositoryStatus["storageStats"]> {
  return {
    snapshotCount: snapshots,
    totalSize: binarySize(storedBytes),
    storedBytes,
    lastObservedAt: at,
  };
}

/** Rounded to a whole number of the largest unit that leaves at least ten of them. */
function binarySize(bytes: number): string {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let value = bytes;
  let unit = 0;
  for (; value >= 10_240 && unit < units.length - 1; unit++) value /= 1024;
  return `${Math.round(value)}${units[unit]}`;
}

function failed(failure: EngineFailure): WantedCondition {
  return { type: CONDITIONS.connected, status: "False", reason: failure.class, message: sentence(failure) };
}

function unknown({ reason, message }: Pick<Stand, "reason" | "message">): WantedCondition {
  return { type: CONDITIONS.connected, status: "Unknown", reason, message };
}

/** A repository that was there once is not gone because it does not answer. */
function brokenPhase({ status }: AnyRepository): NonNullable<RepositoryStatus["phase"]> {
  return status?.uniqueID ? "Degraded" : "Failed";
}

/** While it is connected to anew, a repository that was ready stays so. */
function waitingPhase({ status }: AnyRepository): NonNullable<RepositoryStatus["phase"]> {
  return status?.phase === "Ready" || status?.phase === "Degraded" ? status.phase : "Initializing";
}
