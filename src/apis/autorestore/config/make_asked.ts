import { ApiError, isAlreadyExists, isInvalid } from "../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { createMissing } from "../../../kube/write/create_missing.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { TRIGGER } from "./drafts.ts";
import { nameTaken } from "./trigger_words.ts";

/** Creates what is missing; or says why that is not made which an annotation asks for, and never can be. */
export async function makeAsked<T extends KubeObject>(
  client: Pick<Client, "create" | "get">,
  resource: Resource<T>,
  draft: Draft<T>,
  call: CallOptions,
): Promise<EventNote | undefined> {
  const mark = draft.metadata.annotations?.[TRIGGER];
  const { namespace, name = "" } = draft.metadata;
  if (mark === undefined) {
    await createMissing(client, resource, draft, call);
    return undefined;
  }
  try {
    await client.create(resource, draft, call);
    return undefined;
  } catch (error) {
    if (isInvalid(error) && error instanceof ApiError) {
      const message = `The API server takes no ${resource.kind} ${keyOf({ namespace, name })}, which an annotation asks for: ${error.said}. Nothing is made for it. Annotate again with another value.`;
      return { type: "Warning", reason: "AnnotationInvalid", message };
    }
    if (!isAlreadyExists(error)) throw error;
    const there = await client.get(resource, { namespace, name }, call);
    return there.metadata.annotations?.[TRIGGER] === mark ? undefined : nameTaken(there);
  }
}
