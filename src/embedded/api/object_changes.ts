import { jsonEqual } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";

/** The object with some fields of its metadata set or, as undefined, removed. */
export function withMetadata(object: Stored, fields: Readonly<Record<string, unknown>>): Stored {
  const all = Object.entries({ ...object.metadata, ...fields });
  const metadata = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return { ...object, metadata: metadata as unknown as Stored["metadata"] };
}

/** The metadata that only the server sets, as an update leaves it. */
export function systemFields({ metadata }: Stored): Readonly<Record<string, unknown>> {
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
    generation: metadata.generation,
    deletionTimestamp: metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
    selfLink: undefined,
  };
}

/** True when a write would change at most the times in managedFields. */
export function sameButTimes(a: Stored, b: Stored): boolean {
  return jsonEqual(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: Stored): Stored {
  const { managedFields } = object.metadata;
  if (!managedFields) return object;
  return withMetadata(object, { managedFields: managedFields.map(({ time: _, ...entry }) => entry) });
}

/** The generation of an object's next state: it counts what its users ask for, not what is reported. */
export function generationOf(kind: KindInfo, stored: Stored, next: Stored): number | undefined {
  const { generation } = stored.metadata;
  if (!kind.generation || jsonEqual(asked(kind, stored), asked(kind, next))) return generation;
  return (generation ?? 0) + 1;
}

function asked(kind: KindInfo, object: Stored): object {
  const { metadata: _, status, ...rest } = object;
  return kind.custom && !kind.status ? { ...rest, status } : rest;
}
