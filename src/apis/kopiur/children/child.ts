import { isCancelled, skipsCleanup } from "../../../core/backup/backup_annotations.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import { ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { type Draft, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { objectName } from "../../../lib/names.ts";
import { isMultiNamespace as isConfigMultiNamespace } from "../multi_namespace/namespaces_of.ts";

/*
 * A Backup that has others do its work: its children. Where its BackupConfig is in another namespace, one child beside
 * that does all of it; where it is of claims of several namespaces, a child in each does its part.
 */

/**
 * Who lets a BackupConfig be run from another namespace, or on the claims of one: whoever wrote the reference, for good;
 * or the BackupConfig or the namespace of the claims, as long as it lists the other namespace.
 */
export type Consent = "author" | "recipe" | "namespace" | "nobody" | "unknown";

export function isGiven(consent: Consent): boolean {
  return consent !== "nobody" && consent !== "unknown";
}

/** What a status says of the child in one namespace. */
export type ChildEntry = NonNullable<BackupStatus["backupRefs"]>[number];

/** What is to be done about a child. */
export type ChildIntent =
  | { readonly type: "Make"; readonly draft: Draft<Backup> }
  /** As it was seen: another one of its name is left alone. */
  | { readonly type: "Adapt"; readonly child: Backup; readonly patch: object }
  | { readonly type: "Remove"; readonly child: Backup };

/** Whether the BackupConfig is in another namespace. What was begun says so first: it has to be brought to its end. */
export function isCrossNamespace({ metadata, spec, status }: Backup): boolean {
  if (status?.backupRef) return true;
  if (status?.resolved) return false;
  const { namespace = metadata.namespace } = spec.configRef ?? {};
  return namespace !== metadata.namespace;
}

/** Whether a Backup is of claims of several namespaces. What was begun says so first, here as well. */
export function isMultiNamespace({ status }: Backup, config: BackupConfig | undefined): boolean {
  if (status?.backupRefs) return true;
  return !status?.resolved && config !== undefined && isConfigMultiNamespace(config);
}

/**
 * Whether snapshots may go with the child in a namespace, as far as its parent tells. One that failed may hold good ones,
 * where only a hook after the capture failed; of one that was made, only a count of none says that it holds none.
 */
export function mayHoldSnapshots({ uid, phase, snapshots }: ChildEntry): boolean {
  return phase === "Succeeded" || (snapshots === undefined ? uid !== undefined : snapshots > 0);
}

/** Where a child is. */
export interface ChildPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Where the only child is, beside the BackupConfig. */
export function onlyChildPlace(backup: Backup): ChildPlace {
  const { spec, status } = backup;
  const { namespace = "" } = status?.backupRef ?? spec.configRef ?? {};
  return childIn(backup, namespace);
}

/** Where the child in this namespace is, under a name that follows from its parent's UID. */
export function childIn({ metadata }: Backup, namespace: string): ChildPlace {
  return { namespace, name: objectName(metadata.name, fingerprint(metadata.uid, 10)) };
}

/** The only child, as it is to be made. */
export function onlyChildDraft(backup: Backup, consent: Consent): Draft<Backup> {
  return draftAt(backup, consent, onlyChildPlace(backup), backup.spec.configRef?.name ?? "");
}

/** The same for the claims of one namespace of several: what a schedule asked for, the retention there looks after. */
export function childDraft(
  backup: Backup,
  consent: Consent,
  namespace: string,
  config: string,
): Draft<Backup> {
  const draft = draftAt(backup, consent, childIn(backup, namespace), config);
  const schedule = backup.metadata.labels?.[LABELS.backupSchedule];
  if (schedule === undefined) return draft;
  const labels = { [LABELS.backupSchedule]: schedule, [LABELS.origin]: "scheduled" };
  return { ...draft, metadata: { ...draft.metadata, labels } };
}

function draftAt(backup: Backup, consent: Consent, place: ChildPlace, config: string): Draft<Backup> {
  const { configRef: _, ...spec } = backup.spec;
  return {
    metadata: {
      ...place,
      annotations: { [REQUEST_ANNOTATIONS.by]: keyOf(backup), ...requestOf(backup, consent) },
    },
    spec: { ...spec, configRef: { name: config } },
  };
}

/** What one is told of another, written down: so that nothing is told twice, and what is said beside it stays. */
function requestOf(backup: Backup, consent: Consent): Readonly<Record<string, string>> {
  const { deletionPolicy } = backup.spec;
  return {
    [REQUEST_ANNOTATIONS.edition]: specFingerprint(backup),
    [REQUEST_ANNOTATIONS.consent]: consent,
    ...(deletionPolicy ? { [REQUEST_ANNOTATIONS.deletionPolicy]: deletionPolicy } : {}),
  };
}

/** Whether it was made for this Backup. Only the operator says so, as long as webhooks are there. */
export function isChildOf(child: Backup, backup: Backup): boolean {
  return told(child, "by") === keyOf(backup);
}

/** The key of the Backup that one does the work for. */
export function parentOf(child: Backup): readonly ObjectKey[] {
  const key = told(child, "by");
  return key === undefined ? [] : [key as ObjectKey];
}

/** The namespace whose BackupConfig it runs, where only the namespace that it is in lets it. */
export function reachedFrom(child: Backup): string | undefined {
  const [requester] = parentOf(child);
  const reached = told(child, "consent") === ("namespace" satisfies Consent);
  return requester !== undefined && reached ? parseKey(requester).namespace : undefined;
}

/** Whether the author of its parent was allowed to name the BackupConfig, as was known while that one was not going. */
export function isAuthorised(child: Backup): boolean {
  return told(child, "consent") === ("author" satisfies Consent);
}

/** Whether it knows of the last edit of the Backup that it was made for. */
export function isUpToDate(child: Backup, backup: Backup): boolean {
  return told(child, "edition") === specFingerprint(backup);
}

function told({ metadata }: Backup, what: keyof typeof REQUEST_ANNOTATIONS): string | undefined {
  return metadata.annotations?.[REQUEST_ANNOTATIONS[what]];
}

/**
 * What was edited since it was last told so: how it is tried and deleted, and that it is tried again. Without consent
 * nothing is, but that it is to end.
 */
export function editsFor(child: Backup, backup: Backup, consent: Consent): object | undefined {
  const ends = isCancelled(backup) && !isCancelled(child);
  const cancel = ends ? { [ANNOTATIONS.cancel]: "true" } : {};
  if (!isGiven(consent) || isUpToDate(child, backup)) {
    return ends ? { metadata: { annotations: cancel } } : undefined;
  }
  const { failurePolicy } = backup.spec;
  const same = failurePolicy === undefined || jsonEqual(failurePolicy, child.spec.failurePolicy);
  return {
    metadata: { annotations: { ...requestOf(backup, consent), ...cancel } },
    spec: { ...policyFor(child, backup), ...(same ? {} : { failurePolicy }) },
  };
}

/**
 * What one that goes has left to say: only what decides over the snapshots. That it goes is an edition of its own, but
 * no reason to try anything again.
 */
export function lastWordsFor(child: Backup, backup: Backup): object | undefined {
  const { deletionPolicy } = policyFor(child, backup);
  const { deletionTimestamp } = child.metadata;
  const skips = deletionTimestamp !== undefined && skipsCleanup(backup) && !skipsCleanup(child);
  if (!skips && deletionPolicy === undefined) return undefined;
  const annotations = {
    ...(skips ? { [ANNOTATIONS.skipSnapshotCleanup]: "true" } : {}),
    ...(deletionPolicy ? { [REQUEST_ANNOTATIONS.deletionPolicy]: deletionPolicy } : {}),
  };
  return { metadata: { annotations }, spec: deletionPolicy ? { deletionPolicy } : {} };
}

/** The policy, where it says another than before. What goes already is kept from its end at most, never brought to it. */
function policyFor(
  child: Backup,
  { spec: { deletionPolicy } }: Backup,
): Pick<Backup["spec"], "deletionPolicy"> {
  const weaker = child.metadata.deletionTimestamp !== undefined && deletionPolicy === "Delete";
  const news = deletionPolicy !== undefined && deletionPolicy !== told(child, "deletionPolicy");
  return news && !weaker ? { deletionPolicy } : {};
}
