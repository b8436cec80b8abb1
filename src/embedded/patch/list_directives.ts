import { isRecord } from "../../lib/json.ts";
import { keyOf } from "./merge_key.ts";
import { PatchRefused } from "./patch_refused.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The field by which an object of a patch says what becomes of its counterpart. */
export const DIRECTIVE = "$patch";
/** With a slash and the name of a list: the order of its items. */
export const ORDER = "$setElementOrder";

/** What the patch changes must come in the order that it asks for. */
export function checkOrder(
  changes: readonly unknown[],
  order: readonly unknown[],
  key: string | undefined,
): void {
  if (changes.length === 0 || order.length === 0) return;
  const items = changes.filter((item) => !isRecord(item) || item[DIRECTIVE] !== "delete");
  let next = 0;
  for (const wanted of order) {
    while (hasDirective(items[next])) next++;
    if (next < items.length && keyOf(items[next], key) === keyOf(wanted, key)) next++;
  }
  if (next >= items.length) return;
  const [list, given] = [JSON.stringify(changes), JSON.stringify(order)];
  throw new PatchRefused(500, `The order in patch list:\n${list}\n doesn't match ${ORDER} list:\n${given}\n`);
}

/** Items that say `$patch` act on the list: what they leave of it, and the items to merge into that, or to replace it. */
export function followDirectives(
  before: readonly unknown[],
  patch: readonly unknown[],
  key: string,
): { readonly kept: readonly unknown[]; readonly replaced: boolean; readonly changes: readonly Fields[] } {
  const records = patch.filter(isRecord);
  let kept = before.filter(isRecord);
  for (const item of records) {
    const directive = item[DIRECTIVE];
    if (directive === "delete") {
      const gone = keyOf(item, key);
      kept = kept.filter((each) => each[key] !== gone);
    } else if (directive === "merge") {
      throw new PatchRefused(500, "merging lists cannot yet be specified in the patch");
    } else if (directive !== undefined && directive !== "replace") {
      throw unknownDirective(directive, item);
    }
  }
  const replaced = records.some((item) => item[DIRECTIVE] === "replace");
  return { kept, replaced, changes: records.filter((item) => !hasDirective(item)) };
}

function hasDirective(item: unknown): boolean {
  return isRecord(item) && Object.hasOwn(item, DIRECTIVE);
}

/** The answer to a directive that there is not. */
export function unknownDirective(directive: unknown, fields: Fields): PatchRefused {
  return new PatchRefused(500, `unknown patch type: ${directive} in map: ${JSON.stringify(fields)}`);
}
