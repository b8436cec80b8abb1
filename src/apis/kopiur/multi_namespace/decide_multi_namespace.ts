import type { Problem } from "../../../core/reconcile/problem.ts";
import {
  conditionsFor,
  newsOf,
  type ReadyState,
  readyStateOf,
  wakeFor,
} from "../../../core/reconcile/ready_state.ts";
import { cut, LONGEST_OF_MANY } from "../../../core/reconcile/task_words.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Result } from "../../../lib/result.ts";
import { someOf } from "../../../lib/some_of.ts";
import type { Decision } from "../decision.ts";
import { resolvedRepository } from "../references.ts";
import type { RepositoryUse } from "../repository_use.ts";
import type { DerivedConfigIntent, NamespaceEntry } from "./namespace_state.ts";
import {
  CONFIG_REFUSED,
  type NamespaceState,
  type ObservedNamespace,
  stateInNamespace,
} from "./namespace_state.ts";

export interface ObservedMultiNamespace {
  readonly config: BackupConfig;
  readonly use: Pick<RepositoryUse, "ready">;
  readonly parts: Result<readonly ObservedNamespace[], Problem>;
  readonly now: number;
}

const LONGEST_REASON = 512;

/** What follows for a BackupConfig that is about claims of several namespaces: in each, a BackupConfig that repeats it. */
export function decideMultiNamespace(observed: ObservedMultiNamespace): Decision<BackupConfigStatus> {
  const { parts, now } = observed;
  if (!parts.ok) {
    const phase = parts.error.class === "transient" ? "Pending" : "Failed";
    return decided(observed, readyStateOf(parts.error), { phase }, [], wakeFor(parts.error, now));
  }
  const seen = parts.value.map((part) => ({ part, readyState: stateInNamespace(part) }));
  const namespaces = seen.map(({ part, readyState }) => entryOf(part, readyState));
  // What was refused is tried again: whoever refused it may be of another mind by now.
  const intents = seen
    .filter(({ readyState }) => readyState.state === "making" || readyState.reason === CONFIG_REFUSED)
    .map(({ part }) => making(part));
  const stands = seen.map(({ readyState }) => readyState);
  const { phase, readyState } = verdictOn(observed.config, seen);
  const waiting = stands.some(({ state }) => state === "making" || state === "waiting");
  const wakeAt = wakeFor({ ...readyState, class: waiting ? "transient" : "structural" }, now);
  return decided(
    observed,
    readyState,
    { phase, namespaces },
    intents,
    phase === "Ready" ? undefined : wakeAt,
  );
}

function entryOf(
  { namespace, derived, draft }: ObservedNamespace,
  readyState: NamespaceState,
): NamespaceEntry {
  const { state, reason, message } = readyState;
  return {
    namespace,
    ...(derived && reason !== "NameTaken" ? { config: draft.metadata.name ?? "" } : {}),
    reason,
    ...(state === "ready" ? {} : { message: cut(message, LONGEST_OF_MANY) }),
  };
}

function making({ derived, draft }: ObservedNamespace): DerivedConfigIntent {
  return derived ? { type: "Adapt", derived, draft } : { type: "Make", draft };
}

/** What can be run somewhere is run there; where it cannot be, is told. */
function verdictOn(
  { status }: BackupConfig,
  seen: readonly { readonly part: ObservedNamespace; readonly readyState: NamespaceState }[],
): Required<Pick<BackupConfigStatus, "phase">> & { readonly readyState: ReadyState } {
  const of = (...states: readonly NamespaceState["state"][]) =>
    seen.filter(({ readyState }) => states.includes(readyState.state));
  const ready = of("ready");
  const groups = [of("failed"), of("making", "waiting"), of("empty")];
  const troubles = groups.find((group) => group.length > 0) ?? [];
  const [troubled] = troubles;
  const where = someOf(ready.map(({ part }) => part.namespace));
  if (ready.length > 0 && of("failed", "making", "waiting").length === 0) {
    const message = `The BackupConfig can be run, on claims of ${where}.`;
    return { phase: "Ready", readyState: { state: "ready", reason: "Resolved", message } };
  }
  const told = status?.conditions?.find(({ type }) => type === "Ready");
  if (
    told?.reason === CONFIG_REFUSED &&
    seen.some(({ readyState }) => readyState.reason === CONFIG_REFUSED)
  ) {
    const { reason, message } = told;
    const readyState: ReadyState = { state: "reconciling", reason, message, warning: true };
    return { phase: ready.length > 0 ? "Degraded" : "Failed", readyState };
  }
  const why = troubled
    ? `${troubled.part.namespace}: ${cut(troubled.readyState.message, LONGEST_REASON)}`
    : "";
  const others = troubles.length - 1;
  const more = others > 0 ? ` So it is in ${others} more, see status.namespaces.` : "";
  if (ready.length > 0) {
    const message = `The BackupConfig can be run on claims of ${where}, and not of ${why}${more}`;
    return {
      phase: "Degraded",
      readyState: { state: "ready", reason: "ResolvedInPart", message, warning: true },
    };
  }
  const waiting = of("making", "waiting").length > 0;
  const reason = troubled?.readyState.reason ?? "Pending";
  const readyState: ReadyState = {
    state: "reconciling",
    reason,
    message: `${why}${more}`,
    warning: !waiting,
  };
  return { phase: waiting ? "Pending" : "Failed", readyState };
}

function decided(
  { config, use, now }: ObservedMultiNamespace,
  readyState: ReadyState,
  fields: Pick<BackupConfigStatus, "phase" | "namespaces">,
  intents: readonly DerivedConfigIntent[],
  wakeAt: number | undefined,
): Decision<BackupConfigStatus> {
  const { generation } = config.metadata;
  // It records nothing itself: the identities are those of the BackupConfigs that repeat it.
  const { resolved: _, namespaces: __, ...kept } = config.status ?? {};
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      ...(use.ready.ok ? { resolved: { repository: resolvedRepository(use.ready.value) } } : {}),
      conditions: conditionsFor(config, readyState, [], now),
    },
    intents:
      intents.length > 0 ? [{ type: "DerivedConfigs", intents, namespaces: fields.namespaces ?? [] }] : [],
    events: newsOf(config, readyState),
    wakeAt,
  };
}
