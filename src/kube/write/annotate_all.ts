import { isNotFound } from "../api_error.ts";
import type { Client, Patch, SelectOptions } from "../client.ts";
import type { KubeObject } from "../object.ts";
import { type Resource, resourceName } from "../resource.ts";

/** An annotation for objects of a kind. */
export interface Annotation<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly name: string;
  readonly value: string;
}

/** So many looks at all objects: each is shorter than the one before, unless somebody works against it. */
const PASSES = 100;

/**
 * Puts an annotation on every object of a kind, whatever else others write there. What is made while it does so gets it
 * as well: it ends with a look at all objects that finds none without it. Returns how many did not have it.
 */
export async function annotateAll<T extends KubeObject>(
  client: Client,
  annotation: Annotation<T>,
  select: SelectOptions = {},
): Promise<number> {
  let annotated = 0;
  for (let pass = 1; pass <= PASSES; pass++) {
    const found = await annotateThose(client, annotation, select);
    if (found === 0) return annotated;
    annotated += found;
  }
  const { resource, name } = annotation;
  throw new Error(
    `after ${PASSES} looks there still are ${resourceName(resource)} without the annotation ${name}: somebody makes new ones, or takes it off, as fast as it is put there`,
  );
}

/** One look at all that there are. */
async function annotateThose<T extends KubeObject>(
  client: Client,
  { resource, name, value }: Annotation<T>,
  select: SelectOptions,
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
