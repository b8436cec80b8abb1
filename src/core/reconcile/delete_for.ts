import { ignoreGone } from "../../kube/api_error.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { annotationName, DELETION_REASON } from "./annotations.ts";

export interface Deletion {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Why the operator deletes it by itself, which is noted first: no guard holds it as a deletion from outside. */
  readonly mark?: string | undefined;
}

/** Deletes an object as it was seen, and no other: whoever edits it before it is marked keeps it, for now. */
export async function deleteFor(
  client: Pick<Client, "patch" | "delete">,
  { resource, object, mark }: Deletion,
  call: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  if (mark !== undefined) {
    const annotations = { [annotationName(object, DELETION_REASON)]: mark };
    const patch = { metadata: { uid, resourceVersion, annotations } };
    const marked = await client
      .patch(resource, object.metadata, { type: "merge", patch }, call)
      .catch(ignoreGone);
    if (!marked) return;
  }
  await client.delete(resource, object.metadata, { uid, ...call }).catch(ignoreGone);
}
