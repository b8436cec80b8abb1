import { isRecord } from "../../../src/lib/json.ts";

/** Managers of the calls; what controllers own beside them is theirs. */
const MANAGERS: readonly unknown[] = ["conformance", "alice", "bob"];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Makes what one world said comparable with what the other did: identities and versions become the order in which
 * they first appeared, times a word, and what has no order is sorted.
 */
export class Normaliser {
  readonly #seen = new Map<string, string>();
  readonly #versions: boolean;

  /** Without `versions` they are not compared: controllers may write in between, and change nothing else. */
  constructor(options: { readonly versions: boolean }) {
    this.#versions = options.versions;
  }

  /** The nth new uid or version of this world. */
  #nth(type: string, value: string): string {
    const key = `${type} ${value}`;
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    const ordinal = [...this.#seen.keys()].filter((one) => one.startsWith(`${type} `)).length;
    const name = `<${type} ${ordinal}>`;
    this.#seen.set(key, name);
    return name;
  }

  of(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#text(value, key);
    if (Array.isArray(value)) {
      if (key === "managedFields") return this.#managers(value);
      const items = value.map((item) => this.of(item));
      if (key === "finalizers") return items.sort(byText);
      return key === "causes" ? distinct(items) : items;
    }
    if (!isRecord(value)) return value;
    if (!isRecord(value.details) || value.details.causes === undefined) return this.#fields(value);
    // The message repeats the causes in no order: the server walks the fields of an object in none.
    const { message: _, ...rest } = value;
    return this.#fields(rest);
  }

  #fields(object: Readonly<Record<string, unknown>>): unknown {
    const { status, ...rest } = object;
    const controlled = object.kind === "Job" || object.kind === "PersistentVolumeClaim";
    const fields = controlled ? rest : object;
    const keys = Object.keys(fields).sort();
    return Object.fromEntries(keys.map((key) => [key, this.of(fields[key], key)]));
  }

  #text(value: string, key: string): string {
    if (key === "uid") return this.#nth("uid", value);
    if (key === "resourceVersion" && value !== "")
      return this.#versions ? this.#nth("version", value) : "<version>";
    if (key === "continue") return value === "" ? value : "<token>";
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return "<time>";
    return value
      .replace(/\n@@.*$/s, "")
      .replace(/Invalid value: (\\*"?\{"?|v1\.|core\.).*/s, "<object>")
      .replace(/(failed to create typed patch object .*?\): ).*/s, "$1")
      .replace(UUID, (uid) => this.#nth("uid", uid))
      .replace(/resourceVersion: \d+|\(\d+\)|current: \d+/gi, "<version>");
  }

  #managers(entries: readonly unknown[]): unknown {
    return entries
      .filter((entry) => isRecord(entry) && MANAGERS.includes(entry.manager))
      .map((entry) => this.of(entry))
      .sort(byText);
  }
}

/** Each complaint once: the server says some of them twice. */
function distinct(values: unknown): unknown[] {
  const texts = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
  return [...new Set(texts)].sort().map((text): unknown => JSON.parse(text));
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
