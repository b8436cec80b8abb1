import { resourceName } from "../../kube/resource.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { conflict, invalid, MODIFIED, Refusal } from "./refusal.ts";
import type { Place } from "./target.ts";

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

/** Refuses a write whose uid or resourceVersion is not the stored object's: it means another one, or an older state. */
export function checkSameObject(place: Place, stored: Stored, wanted: Stored): void {
  const { kind, name } = place;
  const { uid, resourceVersion, deletionTimestamp } = wanted.metadata;
  if (uid && uid !== stored.metadata.uid) throw wrongUid(place, uid, stored.metadata.uid);
  if (deletionTimestamp && deletionTimestamp !== stored.metadata.deletionTimestamp) {
    const problem = invalidField("metadata.deletionTimestamp", deletionTimestamp, "field is immutable");
    throw invalid(kind.resource, name, [problem]);
  }
  if (!resourceVersion || resourceVersion === stored.metadata.resourceVersion) return;
  if (/^\d+$/.test(resourceVersion)) throw conflict(kind.resource, name, MODIFIED);
  const text = JSON.stringify(resourceVersion);
  throw new Refusal(500, "", `strconv.ParseUint: parsing ${text}: invalid syntax`);
}

function wrongUid({ kind, namespace, name }: Place, given: string, uid: string): Refusal {
  const key = `/registry/${resourceName(kind.resource)}/${namespace ? `${namespace}/` : ""}${name}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`;
  return conflict(kind.resource, name, why);
}
