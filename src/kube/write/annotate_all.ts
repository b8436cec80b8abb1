import { isNotFound } from "../api_error.ts";
import type { Client, Patch, SelectOptions } from "../client.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

/** An annotation for objects of a kind. */
export interface Annotation<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly name: string;
  readonly value: string;
}

/** Puts an annotation on every object of a kind, whatever else others write there. Returns how many did not have it. */
export async function annotateAll<T extends KubeObject>(
  client: Client,
  { resource, name, value }: Annotation<T>,
  select: SelectOptions = {},
): Promise<number> {
  const call = select.signal ? { signal: select.signal } : {};
  const change = { type: "merge", patch: { metadata: { annotations: { [name]: value } } } };
  let annotated = 0;
  for await (const page of client.metadata.pages(resource, select)) {
    for (const { metadata } of page.items) {
      if (metadata.annotations?.[name] === value) continue;
      try {
        await client.patch(resource, metadata, change as unknown as Patch<T>, call);
        annotated += 1;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
  return annotated;
}
