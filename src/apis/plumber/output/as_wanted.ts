import { GENERATED } from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { isGenerated } from "./generated_marks.ts";
import type { Wanted } from "./output.ts";

/** Whether an object of the operator's own is not as it is to be; of others it is not asked. */
export function needsCorrection({ metadata, spec }: Wanted["object"], present: KubeObject): boolean {
  if (!isGenerated(present) || present.metadata.deletionTimestamp) return false;
  const { labels, annotations } = metadata;
  const unused = present.metadata.annotations?.[GENERATED.unusedSince] !== undefined;
  return unused || !isAsWanted({ spec, metadata: { labels, annotations } }, present);
}

/** Whether the object has all that is wanted of it, whatever else it has. */
export function isAsWanted(wanted: unknown, present: unknown): boolean {
  return differingFields(wanted, present).length === 0;
}

/** The fields in which an object is not as wanted, such as `spec.copyMethod`. */
export function differingFields(wanted: unknown, present: unknown, path = ""): readonly string[] {
  if (wanted === null || wanted === undefined) {
    return present === null || present === undefined ? [] : [path];
  }
  if (typeof wanted !== "object") return wanted === present ? [] : [path];
  if (typeof present !== "object" || present === null) return [path];
  if (Array.isArray(wanted)) {
    const same =
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((one, index) => isAsWanted(one, present[index]));
    return same ? [] : [path];
  }
  return Object.entries(wanted).flatMap(([field, value]) =>
    differingFields(
      value,
      (present as Record<string, unknown>)[field],
      path === "" ? field : `${path}.${field}`,
    ),
  );
}

/** The object without the fields that must not be there, as it is created. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([field, one]) =>
    one === null || one === undefined ? [] : [[field, withoutNulls(one)]],
  );
  return Object.fromEntries(entries) as T;
}
