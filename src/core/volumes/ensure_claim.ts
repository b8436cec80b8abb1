import { isAlreadyExists } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { keyOf } from "../../kube/object.ts";
import { type Claim, type ClaimRequest, claimDraft, isMadeFor } from "./claim_request.ts";

/**
 * Makes the claim, or returns the one that an earlier attempt made for the same object. Throws `ClaimExists` for
 * any other of that name: what may hold data is never taken for an empty one.
 */
export async function ensureClaim(
  client: Pick<Client, "get" | "create">,
  request: ClaimRequest,
  options: CallOptions = {},
): Promise<Claim> {
  try {
    return await client.create(PersistentVolumeClaims, claimDraft(request), options);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const present = await client.get(PersistentVolumeClaims, request, options);
  if (isMadeFor(present, request.madeFor) && !present.metadata.deletionTimestamp) return present;
  throw claimExists(present);
}

/** Why a claim of the wanted name cannot be the target. */
export function claimExists(claim: Claim): Failure {
  const why = claim.metadata.deletionTimestamp ? "and is being deleted" : "and was not made for this";
  return new Failure(
    "structural",
    "ClaimExists",
    `PersistentVolumeClaim ${keyOf(claim)} exists already ${why}: it is left as it is. Choose another name, or delete the claim if its data is not needed`,
  );
}
