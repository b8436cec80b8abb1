import type { WantedCondition } from "../../kube/write/conditions.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result as Outcome } from "../../lib/result.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import { ERROR_CLASSES, type Retry } from "../../wire/error_classes.ts";
import type { RepositoryStats, Result } from "../../wire/report.ts";
import { quantityText } from "../policy/byte_quantity.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { Problem } from "../reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { readyStateOfTask, sentence, shownFailure, shownLog, statusLog } from "../reconcile/task_words.ts";
import type { EndedTask } from "../work/task_decision.ts";
import { type Contact, isContact, nextContactAt } from "./contact.ts";
import { isReadOnly } from "./read_only.ts";
import type { Repository, RepositoryState } from "./repository.ts";

export interface ObservedRepository {
  readonly repository: Repository;
  /** The run that is looked at. */
  readonly contact: Contact;
  /** What follows for that run; or why there can be none. */
  readonly connection: Outcome<TaskPlan, Problem>;
  readonly now: number;
}

/** What follows for a repository from how its run stands. */
export function decideRepository(observed: ObservedRepository): Decision<RepositoryState> {
  const { repository, contact, connection, now } = observed;
  if (!connection.ok) {
    const problem = connection.error;
    const told = { readyState: readyStateOf(problem), connected: unknown(problem) };
    const coming = problem.class === "transient" && !repository.status?.uniqueID;
    const phase = coming ? "Pending" : brokenPhase(repository);
    return settled(observed, told, { phase, wakeAt: wakeFor(problem, now) });
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
  const backingOff = state.phase === "BackingOff";
  const known = backingOff ? { ...state, failure: withRemedy(repository, state.failure) } : state;
  const readyState = readyStateOfTask(known, "connecting to the repository");
  const failure = record.lastFailure && withRemedy(repository, record.lastFailure);
  // What stood so far stands until there is news.
  if (contact.again && repository.status && !failure && !readyState.warning) {
    return { status: { ...repository.status, work }, ...doing };
  }
  const shown = shownFailure(repository.status?.failure, failure, record, now, retryOf(failure));
  return settled(
    observed,
    { readyState, connected: failure ? failed(failure) : unknown(readyState) },
    {
      ...doing,
      work,
      phase: failure ? brokenPhase(repository) : waitingPhase(repository, readyState.warning),
      ...(shown ? { failure: shown } : {}),
      ...shownLog(repository.status, connection.value.decision),
    },
  );
}

interface Told {
  readonly readyState: ReadyState;
  readonly connected: WantedCondition;
}

type Fields = Partial<RepositoryState> &
  Omit<Decision<never>, "intents" | "status"> &
  Partial<Pick<Decision<never>, "intents">>;

function settled(observed: ObservedRepository, told: Told, fields: Fields): Decision<RepositoryState> {
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
      conditions: conditionsFor(repository, told.readyState, [told.connected], now),
    },
    intents,
    events: newsOf(repository, told.readyState),
    wakeAt,
  };
}

function ending({ repository, contact }: ObservedRepository, { result, outcome }: EndedTask): Told {
  const failure = result?.failure;
  if (failure) {
    const connected = failed(withRemedy(repository, failure));
    return { readyState: { state: "stalled", reason: failure.class, message: connected.message }, connected };
  }
  if (outcome !== "Succeeded" || !result?.repository)
    return { readyState: SUPERSEDED, connected: unknown(SUPERSEDED) };
  const { created, id } = result.repository;
  const before = contact.again && repository.status?.conditions?.find(({ type }) => type === "Ready");
  const { reason, message } =
    before && before.status === "True"
      ? before
      : created
        ? { reason: "Created", message: `The repository ${id} was created.` }
        : { reason: REASONS.connectFromConfig, message: `The repository ${id} answers.` };
  return {
    readyState: { state: "ready", reason, message },
    connected: { type: CONDITIONS.connected, status: "True", reason, message },
  };
}

/** Unlike a run, it is connected to for as long as it is there. */
function retryOf(failure: EngineFailure | undefined): Retry | undefined {
  return failure && ERROR_CLASSES[failure.class].retry;
}

/** Where there never was a repository, the one thing that is missing may be the permission to create it. */
function withRemedy({ spec, status }: Repository, failure: EngineFailure): EngineFailure {
  if (failure.class === "WrongPassword") {
    const { name, key } = spec.encryption.passwordSecretRef;
    const remedy = `Put the password that the repository was created with under the key ${key} of the Secret ${name}.`;
    return { ...failure, remedy };
  }
  if (failure.class !== "NotARepository" || status?.uniqueID || isReadOnly({ spec })) return failure;
  const remedy =
    "If the repository is meant to be new, set create.enabled to true: Holdfast then creates it. If it existed before, check bucket, prefix and path, and find out who removed it.";
  return { ...failure, remedy };
}

const SUPERSEDED: ReadyState = {
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
  const first = { attempt: 1, step: "Work", failures: 1 } as const;
  const failure = shownFailure(undefined, result?.failure, first, now, retryOf(result?.failure));
  return { phase: brokenPhase(repository), ...(failure ? { failure } : {}), ...(logTail ? { logTail } : {}) };
}

function readyFields({ status }: Repository, result: Result, uniqueID: string, now: number): Fields {
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
): NonNullable<RepositoryState["storageStats"]> {
  return {
    snapshotCount: snapshots,
    totalSize: quantityText(storedBytes),
    storedBytes,
    lastObservedAt: at,
  };
}

function failed(failure: EngineFailure): WantedCondition {
  return { type: CONDITIONS.connected, status: "False", reason: failure.class, message: sentence(failure) };
}

function unknown({ reason, message }: Pick<ReadyState, "reason" | "message">): WantedCondition {
  return { type: CONDITIONS.connected, status: "Unknown", reason, message };
}

/** A repository that was there once is not gone because it does not answer. */
function brokenPhase({ status }: Repository): NonNullable<RepositoryState["phase"]> {
  return status?.uniqueID ? "Degraded" : "Failed";
}

/** While it is connected to anew, a repository that was ready stays so, unless something is in the way of that. */
function waitingPhase({ status }: Repository, warning = false): NonNullable<RepositoryState["phase"]> {
  if (warning && status?.uniqueID) return "Degraded";
  return status?.phase === "Ready" || status?.phase === "Degraded" ? status.phase : "Initializing";
}
