import { ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import { type Draft, keyOf, type ObjectKey, parseKey } from "../../../../kube/object.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { jsonEqual } from "../../../../lib/json.ts";
import { objectName } from "../../../../lib/names.ts";
import { edition } from "../../editions.ts";
import { isCancelled, skipsCleanup } from "../backup_wishes.ts";
import { type Consent, isGiven } from "./consent.ts";

/** Where a Backup is that does work for another. */
export interface DelegatePlace {
  readonly namespace: string;
  readonly name: string;
}

/** Where the Backup is that does the work for another beside the recipe. */
export function delegateName(backup: Backup): DelegatePlace {
  const { spec, status } = backup;
  const { namespace = "" } = status?.backupRef ?? spec.configRef ?? {};
  return delegateIn(backup, namespace);
}

/** Where the Backup is that does work for another in this namespace, under a name that follows from the other's UID. */
export function delegateIn({ metadata }: Backup, namespace: string): DelegatePlace {
  return { namespace, name: objectName(metadata.name, fingerprint(metadata.uid, 10)) };
}

/** The Backup that does the work for another beside the recipe, as it is to be made. */
export function delegateDraft(backup: Backup, consent: Consent): Draft<Backup> {
  return draftAt(backup, consent, delegateName(backup), backup.spec.configRef?.name ?? "");
}

/** The same for the claims of one namespace of several: what a schedule asked for, the retention there looks after. */
export function partDraft(
  backup: Backup,
  consent: Consent,
  namespace: string,
  config: string,
): Draft<Backup> {
  const draft = draftAt(backup, consent, delegateIn(backup, namespace), config);
  const schedule = backup.metadata.labels?.[LABELS.backupSchedule];
  if (schedule === undefined) return draft;
  const labels = { [LABELS.backupSchedule]: schedule, [LABELS.origin]: "scheduled" };
  return { ...draft, metadata: { ...draft.metadata, labels } };
}

function draftAt(backup: Backup, consent: Consent, place: DelegatePlace, config: string): Draft<Backup> {
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
    [REQUEST_ANNOTATIONS.edition]: edition(backup),
    [REQUEST_ANNOTATIONS.consent]: consent,
    ...(deletionPolicy ? { [REQUEST_ANNOTATIONS.deletionPolicy]: deletionPolicy } : {}),
  };
}

/** Whether it was made for this Backup. Only the operator says so, as long as webhooks are there. */
export function isDelegateOf(delegate: Backup, backup: Backup): boolean {
  return told(delegate, "by") === keyOf(backup);
}

/** The key of the Backup that one does the work for. */
export function requesterOf(delegate: Backup): readonly ObjectKey[] {
  const key = told(delegate, "by");
  return key === undefined ? [] : [key as ObjectKey];
}

/** The namespace whose recipe it runs, where only the namespace that it is in lets it. */
export function reachedFrom(delegate: Backup): string | undefined {
  const [requester] = requesterOf(delegate);
  const reached = told(delegate, "consent") === ("namespace" satisfies Consent);
  return requester !== undefined && reached ? parseKey(requester).namespace : undefined;
}

/** Whether the author of the other one was allowed to name the recipe, as was known while that one was not going. */
export function isAuthorised(delegate: Backup): boolean {
  return told(delegate, "consent") === ("author" satisfies Consent);
}

/** Whether it knows of the last edit of the Backup that it was made for. */
export function isUpToDate(delegate: Backup, backup: Backup): boolean {
  return told(delegate, "edition") === edition(backup);
}

function told({ metadata }: Backup, what: keyof typeof REQUEST_ANNOTATIONS): string | undefined {
  return metadata.annotations?.[REQUEST_ANNOTATIONS[what]];
}

/**
 * What was edited since it was last told so: how it is tried and deleted, and that it is tried again. Without consent
 * nothing is, but that it is to end.
 */
export function editsFor(delegate: Backup, backup: Backup, consent: Consent): object | undefined {
  const ends = isCancelled(backup) && !isCancelled(delegate);
  const cancel = ends ? { [ANNOTATIONS.cancel]: "true" } : {};
  if (!isGiven(consent) || isUpToDate(delegate, backup)) {
    return ends ? { metadata: { annotations: cancel } } : undefined;
  }
  const { failurePolicy } = backup.spec;
  const same = failurePolicy === undefined || jsonEqual(failurePolicy, delegate.spec.failurePolicy);
  return {
    metadata: { annotations: { ...requestOf(backup, consent), ...cancel } },
    spec: { ...policyFor(delegate, backup), ...(same ? {} : { failurePolicy }) },
  };
}

/**
 * What one that goes has left to say: only what decides over the snapshots. That it goes is an edition of its own, but
 * no reason to try anything again.
 */
export function lastWordsFor(delegate: Backup, backup: Backup): object | undefined {
  const { deletionPolicy } = policyFor(delegate, backup);
  const { deletionTimestamp } = delegate.metadata;
  const skips = deletionTimestamp !== undefined && skipsCleanup(backup) && !skipsCleanup(delegate);
  if (!skips && deletionPolicy === undefined) return undefined;
  const annotations = {
    ...(skips ? { [ANNOTATIONS.skipSnapshotCleanup]: "true" } : {}),
    ...(deletionPolicy ? { [REQUEST_ANNOTATIONS.deletionPolicy]: deletionPolicy } : {}),
  };
  return { metadata: { annotations }, spec: deletionPolicy ? { deletionPolicy } : {} };
}

/** The policy, where it says another than before. What goes already is kept from its end at most, never brought to it. */
function policyFor(
  delegate: Backup,
  { spec: { deletionPolicy } }: Backup,
): Pick<Backup["spec"], "deletionPolicy"> {
  const weaker = delegate.metadata.deletionTimestamp !== undefined && deletionPolicy === "Delete";
  const news = deletionPolicy !== undefined && deletionPolicy !== told(delegate, "deletionPolicy");
  return news && !weaker ? { deletionPolicy } : {};
}
