import { resourceName } from "../../kube/resource.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import type { Stored } from "../store/store.ts";
import type { Place } from "./place.ts";
import { conflict, invalid, MODIFIED, Refusal } from "./refusal.ts";

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
