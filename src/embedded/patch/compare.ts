import { jsonEqual } from "../../lib/json.ts";
import { type FieldSet, fieldElement, fieldSet, outside, type PathElement } from "./field_set.ts";
import {
  type Fields,
  fieldIn,
  fieldsIn,
  fieldTyping,
  isAtomic,
  itemElement,
  itemsIn,
  itemTyping,
  kindOf,
  type Typing,
} from "./typing.ts";

/** The fields in which one version of an object differs from another. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** How `after` differs from `before`. */
export function compare(typing: Typing, before: unknown, after: unknown): Comparison {
  const comparing = new Comparing();
  comparing.values(typing, before, after, []);
  return {
    removed: fieldSet(comparing.removed),
    modified: fieldSet(comparing.modified),
    added: fieldSet(comparing.added),
  };
}

/** The differences that are neither in these fields nor below them. */
export function comparisonOutside(comparison: Comparison, ignored: FieldSet): Comparison {
  return {
    removed: outside(comparison.removed, ignored),
    modified: outside(comparison.modified, ignored),
    added: outside(comparison.added, ignored),
  };
}

type Path = readonly PathElement[];

class Comparing {
  readonly removed: Path[] = [];
  readonly modified: Path[] = [];
  readonly added: Path[] = [];

  /** Undefined is an absent value; at most one of the two is. */
  values(typing: Typing, before: unknown, after: unknown, path: Path): void {
    const is = kind(typing, after === undefined ? before : after);
    const was = before === undefined ? is : kind(typing, before);
    // A value that turned into another kind lost all that it was, and became all that it is.
    if (was !== is) this.#as(was, typing, before, after, path);
    if (this.#as(is, typing, before, after, path)) return;
    if (before === undefined) this.added.push(path);
    else if (after === undefined) this.removed.push(path);
  }

  /** Compares as if both were of one kind; true when that kind is owned as one piece. */
  #as(kind: Kind, typing: Typing, before: unknown, after: unknown, path: Path): boolean {
    if (kind === "list" && !isAtomic(typing.schema, kind)) {
      const [left, right] = [itemsIn(before), itemsIn(after)];
      if (left.length + right.length > 0) {
        this.#items(typing, left, right, path);
        return false;
      }
    } else if (kind !== "list" && kind !== "scalar" && !isAtomic(typing.schema, "map")) {
      const [left, right] = [fieldsIn(before), fieldsIn(after)];
      const names = new Set([...Object.keys(left), ...Object.keys(right)]);
      if (names.size > 0) {
        for (const name of names) this.#field(typing, name, left, right, path);
        return false;
      }
    }
    if (before === undefined) this.added.push(path);
    else if (after === undefined) this.removed.push(path);
    else if (!jsonEqual(before, after)) this.modified.push(path);
    return true;
  }

  #field(typing: Typing, name: string, before: Fields, after: Fields, path: Path): void {
    const child = fieldTyping(typing, name);
    if (child) this.values(child, fieldIn(before, name), fieldIn(after, name), [...path, fieldElement(name)]);
  }

  #items(typing: Typing, before: readonly unknown[], after: readonly unknown[], path: Path): void {
    const left = Map.groupBy(before, (item) => itemElement(typing, item));
    const right = Map.groupBy(after, (item) => itemElement(typing, item));
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const [olds, news] = [left.get(element) ?? [], right.get(element) ?? []];
      const at = [...path, element];
      const one = (old: unknown, now: unknown) => this.values(itemTyping(typing), old, now, at);
      // Items that cannot be told apart count as one piece.
      if (olds.length < 2 && news.length < 2) one(olds[0], news[0]);
      else if (olds.length >= 2 && news.length >= 2) {
        if (!jsonEqual(olds, news)) this.modified.push(at);
      } else if (olds.length >= 2) {
        if (news.length > 0) one(undefined, news[0]);
        this.removed.push(at);
      } else {
        if (olds.length > 0) one(olds[0], undefined);
        this.added.push(at);
      }
    }
  }
}

type Kind = "map" | "list" | "scalar" | "null";

/** Without a type, null is of a kind of its own: whatever follows it has changed its kind. */
function kind(typing: Typing, value: unknown): Kind {
  return value === null && typing.schema.type === undefined ? "null" : kindOf(typing, value);
}
