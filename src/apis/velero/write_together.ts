import type { Patch, Writer } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { mergePatch } from "../../kube/write/merge_patch.ts";

/** What of an object is written here. */
export interface Written {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly status: object;
}

/** What of it is there. */
export function writtenOf(object: KubeObject & { readonly status?: object }): Written {
  const { labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  return { labels, annotations, finalizers, status: object.status ?? {} };
}

/**
 * Writes status and metadata at once, as these kinds have no status of their own, and sends nothing where nothing
 * changes. Throws a Conflict when the object has changed since it was read.
 */
export async function writeTogether<T extends KubeObject & { readonly status?: object }>(
  writer: Pick<Writer, "patch">,
  resource: Resource<T>,
  object: T,
  wanted: Written,
  signal: AbortSignal,
): Promise<T> {
  const { status, ...metadata } = changed(writtenOf(object), wanted);
  if (status === undefined && Object.keys(metadata).length === 0) return object;
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { ...metadata, resourceVersion }, ...(status === undefined ? {} : { status }) };
  return writer.patch(resource, object.metadata, { type: "merge", patch } as unknown as Patch<T>, { signal });
}

function changed(from: Written, to: Written): Partial<Record<keyof Written, unknown>> {
  return mergePatch(
    { ...from, status: withoutNulls(from.status) },
    { ...to, status: withoutNulls(to.status) },
  );
}

/** A merge patch cannot say that something is null, which means the same as nothing here. */
function withoutNulls(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null));
}
