import { isRecord, jsonEqual } from "../../lib/json.ts";
import { PatchRefused } from "./patch_refused.ts";

/** The API server does not say which operation failed. */
const REFUSED = "the server rejected our request due to an error in our request";

const MOST_OPERATIONS = 10_000;

/** A JSON Patch (RFC 6902), with what the API server allows beyond: indexes from the end, `replace` that adds a field. */
export function applyJsonPatch(object: unknown, patch: unknown): unknown {
  const operations = parse(patch);
  let document = structuredClone(object);
  for (const operation of operations) {
    try {
      document = apply(document, operation);
    } catch (cause) {
      throw cause instanceof DoesNotApply ? new PatchRefused(422, REFUSED, { cause }) : cause;
    }
  }
  return document;
}

type Operation = Readonly<Record<string, unknown>>;

/** An operation finds the document other than it needs it. Its text is the cause that people debug with. */
class DoesNotApply extends Error {
  override name = "DoesNotApply";
}

function parse(patch: unknown): readonly Operation[] {
  const refuse = (value: unknown, type: string) =>
    new PatchRefused(
      400,
      `error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}`,
    );
  if (!Array.isArray(patch)) throw refuse(patch, "[]handlers.jsonPatchOp");
  if (patch.length > MOST_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`;
    throw new PatchRefused(413, `Request entity too large: ${text}`);
  }
  return patch.map((operation: unknown) => {
    if (!isRecord(operation)) throw refuse(operation, "handlers.jsonPatchOp");
    return operation;
  });
}

function jsonType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

function apply(document: unknown, operation: Operation): unknown {
  const path = pointer(operation, "path");
  const value = structuredClone(operation.value ?? null);
  switch (operation.op) {
    case "add":
      place(document, path).add(value);
      return document;
    case "remove":
      place(document, path).remove();
      return document;
    case "replace":
      if (path === "") return value;
      place(document, path).replace(value);
      return document;
    case "move": {
      const from = place(document, pointer(operation, "from"));
      const moved = from.get();
      from.remove();
      place(document, path).add(moved);
      return document;
    }
    case "copy": {
      const copied = structuredClone(place(document, pointer(operation, "from")).get());
      place(document, path).add(copied);
      return document;
    }
    case "test": {
      const found = path === "" ? document : place(document, path).get();
      if (!jsonEqual(found, value)) throw new DoesNotApply(`testing value ${path} failed: test failed`);
      return document;
    }
    default:
      throw new DoesNotApply(`Unexpected kind: ${operation.op ?? "unknown"}`);
  }
}

function pointer(operation: Operation, name: "path" | "from"): string {
  const path = operation[name];
  if (typeof path !== "string") throw new DoesNotApply(`operation missing ${name} field: missing value`);
  return path;
}

/** A field or an item that an operation names. */
interface Place {
  /** Null for a field that is not there. */
  get(): unknown;
  add(value: unknown): void;
  replace(value: unknown): void;
  remove(): void;
}

function place(document: unknown, path: string): Place {
  const [, ...parts] = path.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = parts.pop();
  let parent = document;
  for (const part of parts) {
    if (Array.isArray(parent)) parent = parent[indexIn(parent, part)];
    else parent = isRecord(parent) && Object.hasOwn(parent, part) ? parent[part] : undefined;
  }
  if (last !== undefined && Array.isArray(parent)) return itemPlace(parent, last);
  if (last !== undefined && isRecord(parent)) return fieldPlace(parent, last);
  throw new DoesNotApply(`the document is missing path ${JSON.stringify(path)}`);
}

function fieldPlace(parent: Record<string, unknown>, name: string): Place {
  const set = (value: unknown) => {
    Object.defineProperty(parent, name, { value, enumerable: true, writable: true, configurable: true });
  };
  return {
    get: () => (Object.hasOwn(parent, name) ? parent[name] : null),
    add: set,
    replace: set,
    remove() {
      if (!Object.hasOwn(parent, name)) {
        throw new DoesNotApply(`Unable to remove nonexistent key: ${name}: missing value`);
      }
      delete parent[name];
    },
  };
}

function itemPlace(parent: unknown[], part: string): Place {
  return {
    get: () => parent[indexIn(parent, part)],
    add: (value) => void parent.splice(part === "-" ? parent.length : indexIn(parent, part, 1), 0, value),
    replace: (value) => void parent.splice(indexIn(parent, part), 1, value),
    remove: () => void parent.splice(indexIn(parent, part), 1),
  };
}

/** The index that is meant, in a list that has `more` places beyond its items. */
function indexIn(list: readonly unknown[], part: string, more = 0): number {
  const length = list.length + more;
  const given = /^[+-]?\d+$/.test(part) ? Number(part) : Number.NaN;
  const index = given < 0 ? given + length : given;
  if (index >= 0 && index < length) return index;
  throw new DoesNotApply(`Unable to access invalid index: ${part}: invalid index referenced`);
}
