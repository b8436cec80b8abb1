import { keyOf } from "./merge_key.ts";

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
  const wantedPlaces = placesOf(wanted, key);
  const livePlaces = placesOf(live, key);
  const isWanted = (item: unknown) => wantedPlaces.has(keyOf(item, key));
  const placed = (places: Places) => (item: unknown) => ({ item, place: places.get(keyOf(item, key)) });
  const ordered = sorted(items.filter(isWanted).map(placed(wantedPlaces)));
  const rest = sorted(items.filter((item) => !isWanted(item)).map(placed(livePlaces)));

  const out: unknown[] = [];
  let next = 0;
  for (const { item } of ordered) {
    const at = livePlaces.get(keyOf(item, key)) ?? -1;
    for (; next < rest.length; next++) {
      const place = rest[next]?.place;
      if (place === undefined || place >= at) break;
      out.push(rest[next]?.item);
    }
    out.push(item);
  }
  return [...out, ...rest.slice(next).map(({ item }) => item)];
}

type Places = ReadonlyMap<unknown, number>;

/** Where each identity first comes in a list. */
function placesOf(list: readonly unknown[], key: string | undefined): Places {
  const places = new Map<unknown, number>();
  for (const [place, item] of list.entries()) {
    const identity = keyOf(item, key);
    if (!places.has(identity)) places.set(identity, place);
  }
  return places;
}

interface Placed {
  readonly item: unknown;
  readonly place: number | undefined;
}

/**
 * By place. What has none passes, and is passed by, whatever it meets on its way to the front: so does the real
 * server's sort, and where such items end up hangs on that.
 */
function sorted(items: readonly Placed[]): readonly Placed[] {
  const out: Placed[] = [];
  for (const item of items) {
    let at = out.length;
    while (at > 0 && precedes(item, out[at - 1])) at--;
    out.splice(at, 0, item);
  }
  return out;
}

function precedes(a: Placed, b: Placed | undefined): boolean {
  return a.place === undefined || b?.place === undefined || a.place < b.place;
}
