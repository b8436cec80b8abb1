import type { Truth } from "../../../core/catalog/truth/truth.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { differingFields } from "../../../kube/write/differing_fields.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { Result } from "../../../lib/result.ts";
import { isGenerated, needsCorrection } from "../output/generated_marks.ts";
import type { GeneratedFor, Present, Wanted } from "../output/output.ts";
import { RESTORE_REASONS, type RestoreDecision } from "../policy/decide_restore.ts";
import type { Gate } from "../policy/gates.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import { maySnapshotNow, type SourceDecision } from "../policy/source_state.ts";

/** A PVC that asks for protection, and all that its protection depends on. */
export interface ObservedPvc {
  readonly object: KubeObject;
  readonly pvc: ParsedPvc;
  readonly gate: Gate;
  /** What admission would decide of it now. */
  readonly restore: RestoreDecision;
  /** It was created just now, or waits for its volume: what was decided of it on its way in is news. */
  readonly isNew: boolean;
  readonly source: SourceDecision;
  readonly truth: Truth;
  /** It names the object that is there for its restore. */
  readonly restored: boolean;
  /** It waits for its data. */
  readonly restoring: boolean;
  readonly wanted: GeneratedFor;
  readonly present: Present;
  /** The API server knows the kinds of the objects. */
  readonly served: boolean;
  /** Whether backups can begin. */
  readonly repository: Result<unknown, Problem>;
  /** The namespace is being deleted. */
  readonly going: boolean;
}

export type Intent =
  | { readonly type: "Create"; readonly wanted: Wanted }
  | { readonly type: "Correct"; readonly wanted: Wanted; readonly present: KubeObject }
  | { readonly type: "Delete"; readonly resource: Resource; readonly present: KubeObject }
  /** One backup now, by the object of this name, for this value of the annotation. */
  | { readonly type: "BackUp"; readonly config: string; readonly trigger: string }
  | { readonly type: "Annotate"; readonly annotations: Readonly<Record<string, string>> };

export interface ProtectionDecision {
  readonly intents: readonly Intent[];
  /** About the PVC. */
  readonly events: readonly EventNote[];
  /** What the operator would do with each object, for reports. */
  readonly action: AuditAction;
  readonly wakeAt?: number | undefined;
}

/** What is, or would be, done for a PVC. */
type AuditAction = "none" | "create" | "update" | "delete" | "foreign" | "wait";

type Part = { readonly intents: readonly Intent[]; readonly events: readonly EventNote[] };

/** What to write for a PVC that asks for protection. In audit that is nothing, and is said all the same. */
export function decideProtection(observed: ObservedPvc): ProtectionDecision {
  const { pvc, gate, source, going, repository } = observed;
  const parts = observed.served ? partsOf(observed) : [];
  const writesBackups = gate.open && pvc.mode !== "audit";
  const writesRestores = gate.open && pvc.restoreMode !== "audit";
  const writes = [writesBackups, writesRestores, writesBackups];
  const allowed = going ? [] : parts.flatMap((part, index) => (writes[index] ? part.intents : []));
  const events = [
    ...parts.flatMap((part) => part.events),
    ...(repository.ok ? [] : [waitingNote(repository.error)]),
    ...(pvc.mode === "audit" || !gate.open ? [] : stateNotes(observed)),
    ...[...observed.restore.warnings, observed.restore].filter(isAboutPvc).map(warning),
    ...(observed.isNew && !isAboutPvc(observed.restore) ? [restoreNote(observed)] : []),
  ];
  const action = actionOf(parts, !repository.ok);
  const own = writesBackups && !going ? annotationIntents(observed) : [];
  return { intents: [...allowed, ...own], events, action, wakeAt: source.wakeAt };
}

function partsOf(observed: ObservedPvc): readonly [Part, Part, Part] {
  const { wanted, present, pvc, source } = observed;
  const schedule = scheduleStep(observed);
  // What is wanted has a default where a value is wrong, which nobody asked for.
  if (source.state === "error" || pvc.problems.length > 0) return [NOTHING, NOTHING, schedule];
  const config = wanted.config ? ensured(wanted.config, present.config) : NOTHING;
  return [config, restoreStep(observed), schedule];
}

function restoreStep({ pvc, restoring, wanted, present }: ObservedPvc): Part {
  if (pvc.restoreMode !== "never") return ensured(wanted.restore, present.restore);
  // Without it a PVC that is being filled from it would wait for ever.
  return restoring ? NOTHING : removed(wanted.restore.resource, present.restore);
}

/** Only the schedule waits for the state of its source: history stays restorable in each. */
function scheduleStep({ source, wanted, present, repository }: ObservedPvc): Part {
  const { state } = source;
  if (state === "error") return NOTHING;
  const runs = state === "ready" || wanted.bypassesAge;
  if (!runs || !wanted.schedule) return removed(wanted.scheduleResource, present.schedule);
  // A repository that is away for a while takes no schedule away, but lets none begin.
  if (!repository.ok && !present.schedule) return NOTHING;
  return ensured(wanted.schedule, present.schedule);
}

const NOTHING: Part = { intents: [], events: [] };

function ensured(wanted: Wanted, present: KubeObject | undefined): Part {
  if (!present) return { intents: [{ type: "Create", wanted }], events: [] };
  if (!isGenerated(present)) {
    const fields = differingFields({ spec: wanted.object.spec }, present);
    return { intents: [], events: fields.length === 0 ? [] : [driftNote(present, fields)] };
  }
  if (!needsCorrection(wanted.object, present)) return NOTHING;
  return { intents: [{ type: "Correct", wanted, present }], events: [] };
}

function removed(resource: Resource, present: KubeObject | undefined): Part {
  if (!present || !isGenerated(present) || present.metadata.deletionTimestamp) return NOTHING;
  return { intents: [{ type: "Delete", resource, present }], events: [] };
}

const MOST_FIELDS = 8;

function driftNote(present: KubeObject, fields: readonly string[]): EventNote {
  const named = fields.slice(0, MOST_FIELDS).join(", ");
  const more = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : "";
  const message = `${present.kind} ${present.metadata.name} is not the operator's own and differs from what the labels of the PVC ask for in ${named}${more}. The operator leaves it as it is.`;
  return { type: "Warning", reason: "BackupExpectedDriftFound", message };
}

function waitingNote({ reason, message }: Problem): EventNote {
  const secret = /secret/i.test(message) && reason === "RepositoryNotReady";
  const waits = secret || reason === "WaitingForRepoSecret";
  return { type: "Warning", reason: waits ? "WaitingForRepoSecret" : "DependencyNotReady", message };
}

/** The state of its source goes onto the PVC, with an event when it changes. */
function stateNotes({ object, source }: ObservedPvc): readonly EventNote[] {
  const before = object.metadata.annotations?.[STATE_ANNOTATIONS.sourceState];
  if (before === source.state) return [];
  const ready = source.state === "ready";
  const isWrong = source.state === "error" || source.state === "missed_restore";
  const type = isWrong ? "Warning" : "Normal";
  return [{ type, reason: ready ? "SourceReady" : "SourceGated", message: source.message }];
}

function annotationIntents({ object, pvc, source, wanted }: ObservedPvc): readonly Intent[] {
  const { annotations = {} } = object.metadata;
  const { trigger } = pvc;
  const { config, onDemand } = wanted;
  const asked = annotations[STATE_ANNOTATIONS.handledTrigger] === trigger ? undefined : trigger;
  const now = config && asked !== undefined && maySnapshotNow(source) ? [asked] : [];
  const handled = onDemand.by === "backup" ? now : onDemand.done === asked && asked ? [asked] : [];
  const changed = {
    ...(annotations[STATE_ANNOTATIONS.sourceState] === source.state
      ? {}
      : { [STATE_ANNOTATIONS.sourceState]: source.state }),
    ...Object.fromEntries(handled.map((value) => [STATE_ANNOTATIONS.handledTrigger, value])),
  };
  return [
    ...now.map((value) => ({
      type: "BackUp" as const,
      config: config?.object.metadata.name ?? "",
      trigger: value,
    })),
    ...(Object.keys(changed).length > 0 ? [{ type: "Annotate", annotations: changed } as const] : []),
  ];
}

/** What became of a PVC on its way in: only one that names its Restore gets its data from there. */
function restoreNote({ restore, restored, truth, wanted, pvc }: ObservedPvc): EventNote {
  const words = RESTORE_REASONS;
  const { reason, message, inject, mode } = restore;
  if (truth.answer === "yes" && (restored || reason === words.restoreInjected)) {
    if (restored && mode !== "audit")
      return { type: "Normal", reason: words.restoreInjected, message: inject ? message : NAMED };
    const known = `There is a backup of ${pvc.identity.text}, the newest of which is of ${truth.newestAt}.`;
    const { kind } = wanted.restore.resource;
    if (mode !== "audit") {
      const missed = `${known} The PVC was created without the ${kind}, and is not restored.`;
      return { type: "Warning", reason: words.backupStateKnown, message: missed };
    }
    const would = `${known} In another mode than audit the PVC would be restored from it.`;
    return { type: "Normal", reason: words.backupStateKnown, message: would };
  }
  if (reason === words.restoreSkipped || reason === words.neverRestored) {
    return { type: "Normal", reason: words.restoreSkipped, message };
  }
  if (reason === words.backupStateKnown) return { type: "Normal", reason, message };
  return { type: "Warning", reason: words.backupStateUnknown, message };
}

const NAMED = "The PVC names what it is restored from itself.";

const isAboutPvc = ({ reason }: { readonly reason: string }) =>
  reason === RESTORE_REASONS.duplicateIdentity || reason === RESTORE_REASONS.invalidAnnotation;

const warning = ({ reason, message }: { readonly reason: string; readonly message: string }): EventNote => ({
  type: "Warning",
  reason,
  message,
});

function actionOf(parts: readonly Part[], waits: boolean): AuditAction {
  if (parts.length === 0) return "wait";
  const types = new Set(parts.flatMap(({ intents }) => intents.map(({ type }) => type)));
  if (parts.some(({ events }) => events.length > 0)) return "foreign";
  if (types.has("Create")) return waits ? "wait" : "create";
  if (types.has("Correct")) return "update";
  return types.has("Delete") ? "delete" : "none";
}
