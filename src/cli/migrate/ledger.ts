import { isRecord } from "../../lib/json.ts";

/** What became of one field of a foreign object. */
export interface Account {
  /** Such as `spec.restic.retain.daily`. */
  readonly field: string;
  /** Where it went, or why it went nowhere. */
  readonly became: string;
  /** It has no counterpart, and somebody should know. */
  readonly lost?: boolean;
}

/** Reads a foreign object field by field, and remembers what became of each, so that none is forgotten. */
export class Ledger {
  readonly #root: unknown;
  readonly #accounts: Account[] = [];

  constructor(root: unknown) {
    this.#root = root;
  }

  /** The value of a field, which goes to `became`. Absent fields leave no trace. */
  take(field: string, became: string): unknown {
    const value = this.#at(field);
    if (value !== undefined) this.#accounts.push({ field, became });
    return value;
  }

  text(field: string, became: string): string | undefined {
    const value = this.take(field, became);
    return value === undefined ? undefined : String(value);
  }

  /** A field that has no counterpart, and why. */
  lose(field: string, why: string): void {
    if (this.#at(field) !== undefined) this.#accounts.push({ field, became: why, lost: true });
  }

  /** Every field below `spec`, with what became of it. One that nobody took is lost. */
  accounts(): readonly Account[] {
    const known = this.#accounts.map(({ field }) => field);
    const forgotten = leaves(this.#at("spec"), "spec").filter(
      (leaf) => !known.some((field) => leaf === field || leaf.startsWith(`${field}.`)),
    );
    return [
      ...this.#accounts,
      ...forgotten.map((field) => ({ field, became: "not known here: look at it by hand", lost: true })),
    ].toSorted((a, b) => a.field.localeCompare(b.field));
  }

  #at(field: string): unknown {
    return field
      .split(".")
      .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), this.#root);
  }
}

/** The paths of everything below a value that is not an object itself. Lists count as one. */
function leaves(value: unknown, path: string): readonly string[] {
  if (value === undefined) return [];
  if (!isRecord(value)) return [path];
  return Object.entries(value).flatMap(([key, below]) => leaves(below, `${path}.${key}`));
}
