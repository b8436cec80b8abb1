import { groupOf, type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";
import { annotationName, annotationOf } from "../reconcile/annotations.ts";

/** A repository that is in use, and lies on a claim. */
export interface StoredOn {
  readonly repository: KubeObject;
  readonly claim: ObjectKey;
  /** How many snapshots it holds, where known. */
  readonly snapshots?: number | undefined;
}

/** Why a claim must not be deleted: a repository lies on it. */
export function storedObjection({ metadata }: KubeObject, stored: readonly StoredOn[]): string | undefined {
  const key = keyOf(metadata);
  const found = stored.find(
    ({ claim, repository }) => claim === key && repository.metadata.deletionTimestamp === undefined,
  );
  if (!found) return undefined;
  const { repository, snapshots } = found;
  const held = snapshots === undefined ? "its snapshots" : counted(snapshots);
  return `PVC ${key} holds the repository of ${repository.kind} ${keyOf(repository)}, with ${held}: deleting it would delete all of them. If that is meant, delete the ${repository.kind} first, then the PVC.`;
}

/** On a repository that lies on a PVC: `true` lets it be deleted. */
export const ACKNOWLEDGE_REMOVAL = "acknowledge-removal";

/**
 * Why a repository on a PVC must not be deleted: nothing would guard that PVC any more, and its backups could not be
 * restored.
 */
export function removalObjection(
  { repository, claim, snapshots }: StoredOn,
  plural: string,
): string | undefined {
  const acknowledged = annotationOf(repository, ACKNOWLEDGE_REMOVAL) === "true";
  if (acknowledged || !snapshots) return undefined;
  const { kind, metadata } = repository;
  const at = metadata.namespace === undefined ? "" : ` -n ${metadata.namespace}`;
  const annotate = `kubectl annotate ${plural}.${groupOf(repository)} ${metadata.name}${at} ${annotationName(repository, ACKNOWLEDGE_REMOVAL)}=true`;
  return `${kind} ${keyOf(repository)} lies on PVC ${claim}, with ${counted(snapshots)}: without it nothing of that can be restored, and nothing keeps the PVC from being deleted. If it is meant to go and the PVC to stay, run ${annotate}, then delete the ${kind} again.`;
}

function counted(snapshots: number): string {
  return snapshots === 1 ? "1 snapshot" : `${snapshots} snapshots`;
}
