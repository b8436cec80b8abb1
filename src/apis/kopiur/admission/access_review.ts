import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";

/** Who writes, as the API server tells. */
export type Author = AdmissionRequest["user"];

interface SubjectAccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean };
}

export const SubjectAccessReviews: Resource<SubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

export interface AccessQuestion {
  readonly author: Author;
  readonly verb: "get" | "create";
  readonly resource: Resource;
  readonly namespace: string;
  /** Absent: every object of the kind there. */
  readonly name?: string | undefined;
}

/** Whether somebody may get or create an object. Asks the API server; nothing is stored. */
export async function isAllowed(
  client: Pick<Writer, "create">,
  { author, verb, resource, namespace, name }: AccessQuestion,
  options: CallOptions,
): Promise<boolean> {
  const { group, plural } = resource;
  const resourceAttributes = { verb, group, resource: plural, namespace, ...(name ? { name } : {}) };
  const { username: user, uid, groups } = author;
  const spec = { user, groups, ...(uid ? { uid } : {}), resourceAttributes };
  // A review must have no metadata at all, and a name that is empty counts as none.
  const { status } = await client.create(SubjectAccessReviews, { metadata: { name: "" }, spec }, options);
  return status?.allowed === true;
}
