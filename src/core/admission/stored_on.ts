import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";

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
  const held = snapshots === undefined ? "its snapshots" : `${snapshots} snapshots`;
  return `PVC ${key} holds the repository of ${repository.kind} ${keyOf(repository)}, with ${held}: deleting it would delete all of them. If that is meant, delete the ${repository.kind} first, then the PVC.`;
}
