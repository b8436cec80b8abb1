import type { CallOptions, Writer } from "../client.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

export const SelfSubjectReviews: Resource<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
};

/** The name that the API server knows this client by. */
export async function whoAmI(client: Pick<Writer, "create">, options: CallOptions = {}): Promise<string> {
  // A review has no metadata, and a name that is empty counts as none.
  const { status } = await client.create(SelfSubjectReviews, { metadata: { name: "" } }, options);
  return status?.userInfo?.username ?? "";
}
