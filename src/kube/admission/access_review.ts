import { SubjectAccessReviews } from "../builtin.ts";
import type { CallOptions, Writer } from "../client.ts";
import type { Resource } from "../resource.ts";
import type { AdmissionRequest } from "./review.ts";

/** Who writes, as the API server tells. */
export type Author = AdmissionRequest["user"];

export interface AccessQuestion {
  readonly author: Author;
  /** Default: get. */
  readonly verb?: "get" | "create" | "update" | undefined;
  readonly resource: Resource;
  /** Absent: of the cluster, or in every namespace. */
  readonly namespace?: string | undefined;
  /** Absent: every object of the kind there. */
  readonly name?: string | undefined;
}

/** Whether somebody may do this with an object. Asks the API server; nothing is stored. */
export async function may(
  client: Pick<Writer, "create">,
  { author, verb = "get", resource, namespace, name }: AccessQuestion,
  options: CallOptions,
): Promise<boolean> {
  const { group, plural } = resource;
  const resourceAttributes = {
    verb,
    group,
    resource: plural,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
  const { username: user, uid, groups } = author;
  const spec = { user, groups: [...groups], ...(uid ? { uid } : {}), resourceAttributes };
  // A review must have no metadata at all, and a name that is empty counts as none.
  const { status } = await client.create(SubjectAccessReviews, { metadata: { name: "" }, spec }, options);
  return status?.allowed === true;
}
