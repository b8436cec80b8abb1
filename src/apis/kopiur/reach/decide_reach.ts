import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Result } from "../../../lib/result.ts";
import { someOf } from "../../../lib/some_of.ts";
import type { Decision } from "../decision.ts";
import type { Problem } from "../problem.ts";
import { resolvedRepository } from "../references.ts";
import type { RepositoryUse } from "../repository_use.ts";
import { cut, LONGEST_OF_MANY } from "../run_words.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { type PartStand, type ReachedNamespace, standOfPart } from "./reached_part.ts";
import type { ReachEntry, RecipeIntent } from "./recipe_intent.ts";
import { RECIPE_REFUSED } from "./recipe_refused.ts";

export interface ObservedReach {
  readonly config: BackupConfig;
  readonly use: Pick<RepositoryUse, "ready">;
  readonly parts: Result<readonly ReachedNamespace[], Problem>;
  readonly now: number;
}

const LONGEST_REASON = 512;

/** What follows for a recipe that is about claims of several namespaces: in each, a recipe that repeats it. */
export function decideReach(observed: ObservedReach): Decision<BackupConfigStatus> {
  const { parts, now } = observed;
  if (!parts.ok) {
    const phase = parts.error.class === "transient" ? "Pending" : "Failed";
    return decided(observed, standOf(parts.error), { phase }, [], wakeFor(parts.error, now));
  }
  const seen = parts.value.map((part) => ({ part, stand: standOfPart(part) }));
  const namespaces = seen.map(({ part, stand }) => entryOf(part, stand));
  // What was refused is tried again: whoever refused it may be of another mind by now.
  const intents = seen
    .filter(({ stand }) => stand.state === "making" || stand.reason === RECIPE_REFUSED)
    .map(({ part }) => making(part));
  const stands = seen.map(({ stand }) => stand);
  const { phase, stand } = verdictOn(observed.config, seen);
  const waiting = stands.some(({ state }) => state === "making" || state === "waiting");
  const wakeAt = wakeFor({ ...stand, class: waiting ? "transient" : "structural" }, now);
  return decided(observed, stand, { phase, namespaces }, intents, phase === "Ready" ? undefined : wakeAt);
}

function entryOf({ namespace, derived, draft }: ReachedNamespace, stand: PartStand): ReachEntry {
  const { state, reason, message } = stand;
  return {
    namespace,
    ...(derived && reason !== "NameTaken" ? { config: draft.metadata.name ?? "" } : {}),
    reason,
    ...(state === "ready" ? {} : { message: cut(message, LONGEST_OF_MANY) }),
  };
}

function making({ derived, draft }: ReachedNamespace): RecipeIntent {
  return derived ? { type: "Adapt", derived, draft } : { type: "Make", draft };
}

/** What can be run somewhere is run there; where it cannot be, is told. */
function verdictOn(
  { status }: BackupConfig,
  seen: readonly { readonly part: ReachedNamespace; readonly stand: PartStand }[],
): Required<Pick<BackupConfigStatus, "phase">> & { readonly stand: Stand } {
  const of = (...states: readonly PartStand["state"][]) =>
    seen.filter(({ stand }) => states.includes(stand.state));
  const ready = of("ready");
  const groups = [of("failed"), of("making", "waiting"), of("empty")];
  const troubles = groups.find((group) => group.length > 0) ?? [];
  const [troubled] = troubles;
  const where = someOf(ready.map(({ part }) => part.namespace));
  if (ready.length > 0 && of("failed", "making", "waiting").length === 0) {
    const message = `The recipe can be run, on claims of ${where}.`;
    return { phase: "Ready", stand: { state: "ready", reason: "Resolved", message } };
  }
  const told = status?.conditions?.find(({ type }) => type === "Ready");
  if (told?.reason === RECIPE_REFUSED && seen.some(({ stand }) => stand.reason === RECIPE_REFUSED)) {
    const { reason, message } = told;
    const stand: Stand = { state: "reconciling", reason, message, warning: true };
    return { phase: ready.length > 0 ? "Degraded" : "Failed", stand };
  }
  const why = troubled ? `${troubled.part.namespace}: ${cut(troubled.stand.message, LONGEST_REASON)}` : "";
  const others = troubles.length - 1;
  const more = others > 0 ? ` So it is in ${others} more, see status.namespaces.` : "";
  if (ready.length > 0) {
    const message = `The recipe can be run on claims of ${where}, and not of ${why}${more}`;
    return { phase: "Degraded", stand: { state: "ready", reason: "ResolvedInPart", message, warning: true } };
  }
  const waiting = of("making", "waiting").length > 0;
  const reason = troubled?.stand.reason ?? "Pending";
  const stand: Stand = { state: "reconciling", reason, message: `${why}${more}`, warning: !waiting };
  return { phase: waiting ? "Pending" : "Failed", stand };
}

function decided(
  { config, use, now }: ObservedReach,
  stand: Stand,
  fields: Pick<BackupConfigStatus, "phase" | "namespaces">,
  intents: readonly RecipeIntent[],
  wakeAt: number | undefined,
): Decision<BackupConfigStatus> {
  const { generation } = config.metadata;
  // It records nothing itself: the identities are those of the recipes that repeat it.
  const { resolved: _, namespaces: __, ...kept } = config.status ?? {};
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      ...(use.ready.ok ? { resolved: { repository: resolvedRepository(use.ready.value) } } : {}),
      conditions: conditionsFor(config, stand, [], now),
    },
    intents: intents.length > 0 ? [{ type: "Recipes", intents, namespaces: fields.namespaces ?? [] }] : [],
    events: newsOf(config, stand),
    wakeAt,
  };
}
