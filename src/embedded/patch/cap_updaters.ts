import { NO_FIELDS, union } from "./field_set.ts";
import { identityOf, type Owners } from "./managed_fields.ts";

/** More updaters than this are not told apart: the oldest become one. */
const MOST_UPDATERS = 10;
const OLD_UPDATERS = "ancient-changes";

/** Folds the oldest updaters of a version into one until there are few enough. */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  updaters.sort(([a, { time: ta = "" }], [b, { time: tb = "" }]) =>
    ta === tb ? (a < b ? -1 : 1) : ta < tb ? -1 : 1,
  );
  const capped = new Map(owners);
  const oldest = new Map<string, string>();
  let left = updaters.length;
  for (const [identity, owner] of updaters) {
    if (left <= MOST_UPDATERS) break;
    const { apiVersion, operation, time } = owner;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, identity);
      continue;
    }
    const bucket = { manager: OLD_UPDATERS, operation, apiVersion };
    const target = capped.has(identityOf(bucket)) ? identityOf(bucket) : first;
    const fields = union(owner.fields, capped.get(target)?.fields ?? NO_FIELDS);
    capped.delete(target);
    capped.delete(identity);
    capped.set(identityOf(bucket), { ...bucket, time, fields });
    left--;
  }
  return capped;
}
