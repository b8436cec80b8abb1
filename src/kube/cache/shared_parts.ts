import { LruMap } from "../../lib/lru_map.ts";
import type { KubeObject } from "../object.ts";

/** Where a part is in an object, field by field. */
export type PartPath = readonly string[];

type Node = Record<string, unknown>;

/** As many different parts are known at once: those seen last. */
const CAPACITY = 512;

/** Parts that many objects of a kind have alike, such as the labels of all that one recipe made, are kept only once. */
export class SharedParts {
  readonly #paths = new Map<string, PartPath>();
  readonly #known = new LruMap<string, unknown>(CAPACITY);

  add(paths: readonly PartPath[]): void {
    for (const path of paths) this.#paths.set(path.join("."), path);
  }

  /** The object itself, with what is known already in the place of its own parts. Nobody else may have seen it yet. */
  share<T extends KubeObject>(object: T): T {
    for (const path of this.#paths.values()) this.#sharePart(object as unknown as Node, path);
    return object;
  }

  #sharePart(object: Node, path: PartPath): void {
    let parent: unknown = object;
    for (const field of path.slice(0, -1)) parent = isNode(parent) ? parent[field] : undefined;
    const field = path.at(-1) ?? "";
    if (!isNode(parent) || !isNode(parent[field])) return;
    const text = JSON.stringify(parent[field]);
    const known = this.#known.get(text);
    if (known === undefined) this.#known.set(text, parent[field]);
    else parent[field] = known;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}
