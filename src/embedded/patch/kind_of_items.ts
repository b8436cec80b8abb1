import { PatchRefused } from "./patch_refused.ts";

/** What lists that merge have in them, which must be of one kind: a type's name, or `none` when all are empty. */
export function kindOfItems(...lists: (readonly unknown[])[]): string {
  const kinds = new Set(lists.flat().map(kindOf));
  const [kind = "none", ...others] = kinds;
  if (kind === "array") throw new PatchRefused(422, "lists of lists are not supported");
  if (others.length === 0) return kind;
  throw new PatchRefused(500, `list element types are not identical: ${JSON.stringify(lists)}`);
}

function kindOf(item: unknown): string {
  if (item === null) return "null";
  return Array.isArray(item) ? "array" : typeof item;
}
