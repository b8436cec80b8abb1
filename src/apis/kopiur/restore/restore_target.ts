import type { ClaimRequest } from "../../../core/volumes/claim_request.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";

/** A claim that is to be made for the data. */
export type NewClaim = NonNullable<NonNullable<Restore["spec"]["target"]>["pvc"]>;

/** The claim that a Restore asks for, empty and made for it alone. */
export function claimRequest({ metadata }: Restore, target: NewClaim): ClaimRequest {
  const { name, storageClassName, capacity, accessModes, labels, annotations } = target;
  return {
    namespace: metadata.namespace ?? "",
    name,
    storageClassName,
    capacity: String(capacity),
    accessModes,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    madeFor: metadata.uid,
  };
}
