import { isRecord } from "../../lib/json.ts";

/**
 * Orders the items of a merged list: the wanted ones as the patch wants them, the others as they were, each of
 * those before the first wanted one that it was before in the live list.
 */
export function orderItems(options: {
  readonly items: readonly unknown[];
  /** Items, or objects with nothing but the key. */
  readonly wanted: readonly unknown[];
  readonly live: readonly unknown[];
  /** The field that identifies an item; undefined when the items are scalars. */
  readonly key: string | undefined;
}): readonly unknown[] {
  const { items, wanted, live, key } = options;
  const identity = (item: unknown) => (key !== undefined && isRecord(item) ? item[key] : item);
  const wantedOrder = wanted.map(identity);
  const liveOrder = live.map(identity);
  const ordered = items.filter((item) => wantedOrder.includes(identity(item)));
  ordered.sort((a, b) => wantedOrder.indexOf(identity(a)) - wantedOrder.indexOf(identity(b)));
  const rest = items.filter((item) => !wantedOrder.includes(identity(item)));
  rest.sort((a, b) => liveOrder.indexOf(identity(a)) - liveOrder.indexOf(identity(b)));

  const out: unknown[] = [];
  for (const item of ordered) {
    const at = liveOrder.indexOf(identity(item));
    while (rest.length > 0 && at >= 0) {
      const before = liveOrder.indexOf(identity(rest[0]));
      if (before < 0 || before >= at) break;
      out.push(rest.shift());
    }
    out.push(item);
  }
  return [...out, ...rest];
}
