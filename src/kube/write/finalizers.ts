import { isNotFound } from "../api_error.ts";
import type { CallOptions, Patch, Writer } from "../client.ts";
import { type KubeObject, keyOf } from "../object.ts";
import type { Resource } from "../resource.ts";

/** The object is being deleted already: a finalizer can no longer be put on it. */
export class TooLateForFinalizer extends Error {
  override name = "TooLateForFinalizer";
}

export interface FinalizerChange<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** As it was read. */
  readonly object: T;
  readonly finalizer: string;
}

/**
 * Holds the object back from going away, until removeFinalizer. Returns the object as it is now. Throws
 * TooLateForFinalizer when it is being deleted, and a Conflict when it has changed since it was read.
 */
export async function addFinalizer<T extends KubeObject>(
  writer: Writer,
  change: FinalizerChange<T>,
  options: CallOptions = {},
): Promise<T> {
  const { object, finalizer } = change;
  const present = object.metadata.finalizers ?? [];
  if (present.includes(finalizer)) return object;
  if (object.metadata.deletionTimestamp !== undefined) {
    throw new TooLateForFinalizer(
      `${object.kind} ${keyOf(object)} is being deleted: finalizer ${finalizer} can no longer be added`,
    );
  }
  return setFinalizers(writer, change, [...present, finalizer], options);
}

/**
 * Lets the object go, as far as this finalizer is concerned. Returns the object as it is now, undefined when
 * it is gone. Throws a Conflict when it has changed since it was read.
 */
export async function removeFinalizer<T extends KubeObject>(
  writer: Writer,
  change: FinalizerChange<T>,
  options: CallOptions = {},
): Promise<T | undefined> {
  const { object, finalizer } = change;
  const present = object.metadata.finalizers ?? [];
  if (!present.includes(finalizer)) return object;
  const rest = present.filter((name) => name !== finalizer);
  try {
    return await setFinalizers(writer, change, rest, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A merge patch replaces the list, so the resourceVersion goes along: nobody else's finalizer is lost. */
function setFinalizers<T extends KubeObject>(
  writer: Writer,
  { resource, object }: FinalizerChange<T>,
  finalizers: readonly string[],
  options: CallOptions,
): Promise<T> {
  const patch = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers } };
  return writer.patch(resource, object.metadata, { type: "merge", patch } as unknown as Patch<T>, options);
}
