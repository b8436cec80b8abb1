import { ApiError, isAlreadyExists, isInvalid } from "../api_error.ts";
import type { CallOptions, Client } from "../client.ts";
import type { Draft, KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

/** What keeps an object from being made for good: another one of its name, or what the API server says of it. */
export type NotMade<T> =
  | { readonly type: "Taken"; readonly by: T }
  | { readonly type: "Invalid"; readonly said: string };

/** Creates an object, unless it is there. An annotation tells it from another one of its name. */
export async function createMarked<T extends KubeObject>(
  client: Pick<Client, "create" | "get">,
  resource: Resource<T>,
  { draft, mark }: { readonly draft: Draft<T>; readonly mark: string },
  call: CallOptions,
): Promise<NotMade<T> | undefined> {
  const { namespace, name = "", annotations } = draft.metadata;
  try {
    await client.create(resource, draft, call);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && isInvalid(error)) return { type: "Invalid", said: error.said };
    if (!isAlreadyExists(error)) throw error;
    const by = await client.get(resource, { namespace, name }, call);
    return by.metadata.annotations?.[mark] === annotations?.[mark] ? undefined : { type: "Taken", by };
  }
}
