import type { PatchableSchema } from "../kinds/kind_info.ts";
import type { TrackedKind } from "./managed_fields.ts";

/**
 * The object before it is created. An object of a built-in kind is never without its structures: they are there,
 * empty, and so nobody becomes the owner of one by filling it.
 */
export function emptyObject({ schema, custom }: TrackedKind): Readonly<Record<string, unknown>> {
  return { metadata: {}, ...(custom ? {} : emptyStructure(schema)) };
}

function emptyStructure({ properties, required }: PatchableSchema): Readonly<Record<string, unknown>> {
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    if (isEmptyRecord(field.default)) return [[name, emptyStructure(field)]];
    return required?.includes(name) && (field.type === "array" || field.type === "object")
      ? [[name, null]]
      : [];
  });
  return Object.fromEntries(fields);
}

function isEmptyRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
