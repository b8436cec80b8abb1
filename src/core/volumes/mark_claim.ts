import { isNotFound } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { CallOptions, Patch, Writer } from "../../kube/client.ts";
import type { Claim } from "./claim_request.ts";

/** Has a claim say something of itself. Another one of its name is refused as a conflict, and one that is gone says nothing. */
export async function markClaim(
  client: Pick<Writer, "patch">,
  {
    claim,
    annotations,
  }: { readonly claim: Claim; readonly annotations: Readonly<Record<string, string | null>> },
  call: CallOptions = {},
): Promise<void> {
  const { uid } = claim.metadata;
  const patch = { type: "merge", patch: { metadata: { uid, annotations } } } as unknown as Patch<Claim>;
  try {
    await client.patch(PersistentVolumeClaims, claim.metadata, patch, call);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
