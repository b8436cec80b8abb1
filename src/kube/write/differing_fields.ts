/** Whether an object has all that is wanted of it, whatever else it has. */
export function isAsWanted(wanted: unknown, present: unknown): boolean {
  return differingFields(wanted, present).length === 0;
}

/** The fields in which an object is not as wanted, such as `spec.copyMethod`. Null: it must not be there. */
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
