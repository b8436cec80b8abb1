import { ANNOTATIONS, REQUESTED_BY_ANNOTATION } from "../../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { type Draft, keyOf, type ObjectKey } from "../../../../kube/object.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { jsonEqual } from "../../../../lib/json.ts";
import { objectName } from "../../../../lib/names.ts";
import { isCancelled } from "../is_cancelled.ts";

/** Where the Backup is that does the work for another: beside the recipe, under a name that follows from the other's UID. */
export function delegateName({ metadata, spec }: Backup): {
  readonly namespace: string;
  readonly name: string;
} {
  const { namespace = "" } = spec.configRef ?? {};
  return { namespace, name: objectName(metadata.name, fingerprint(metadata.uid, 10)) };
}

/** The Backup that does the work for another, as it is to be made. */
export function delegateDraft(backup: Backup): Draft<Backup> {
  const { configRef, ...spec } = backup.spec;
  return {
    metadata: {
      ...delegateName(backup),
      annotations: { [REQUESTED_BY_ANNOTATION]: keyOf(backup) },
    },
    spec: { ...spec, configRef: { name: configRef?.name ?? "" } },
  };
}

/** Whether it was made for this Backup. Only the operator says so, as long as webhooks are there. */
export function isDelegateOf(delegate: Backup, backup: Backup): boolean {
  return delegate.metadata.annotations?.[REQUESTED_BY_ANNOTATION] === keyOf(backup);
}

/** The key of the Backup that one does the work for. */
export function requesterOf({ metadata }: Backup): readonly ObjectKey[] {
  const key = metadata.annotations?.[REQUESTED_BY_ANNOTATION];
  return key === undefined ? [] : [key as ObjectKey];
}

/** What has been edited since, of that which may be: how it is tried and deleted, and that it is to end. */
export function editsFor(delegate: Backup, backup: Backup): object | undefined {
  const { deletionPolicy, failurePolicy } = backup.spec;
  const same = (mine: object | string | undefined, its: object | string | undefined) =>
    mine === undefined || jsonEqual(mine, its);
  const spec = {
    ...(same(deletionPolicy, delegate.spec.deletionPolicy) ? {} : { deletionPolicy }),
    ...(same(failurePolicy, delegate.spec.failurePolicy) ? {} : { failurePolicy }),
  };
  const ends = isCancelled(backup) && !isCancelled(delegate);
  const metadata = ends ? { annotations: { [ANNOTATIONS.cancel]: "true" } } : undefined;
  if (!metadata && Object.keys(spec).length === 0) return undefined;
  return { ...(metadata ? { metadata } : {}), spec };
}
