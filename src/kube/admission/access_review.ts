import { SubjectAccessReviews } from "../builtin.ts";
import type { CallOptions, Writer } from "../client.ts";
import type { Resource } from "../resource.ts";
import type { AdmissionRequest } from "./review.ts";

/** Who writes, as the API server tells. */
export type Author = AdmissionRequest["user"];

export interface AccessQuestion {
  readonly author: Author;
  readonly resource: Resource;
  readonly namespace: string;
  /** Absent: every object of the kind there. */
  readonly name?: string | undefined;
}

/** Whether somebody may get an object. Asks the API server; nothing is stored. */
export async function mayGet(
  client: Pick<Writer, "create">,
  { author, resource, namespace, name }: AccessQuestion,
  options: CallOptions,
): Promise<boolean> {
  const { group, plural } = resource;
  const resourceAttributes = { verb: "get", group, resource: plural, namespace, ...(name ? { name } : {}) };
  const { username: user, uid, groups } = author;
  const spec = { user, groups: [...groups], ...(uid ? { uid } : {}), resourceAttributes };
  // A review must have no metadata at all, and a name that is empty counts as none.
  const { status } = await client.create(SubjectAccessReviews, { metadata: { name: "" }, spec }, options);
  return status?.allowed === true;
}
