import type { ManagedFields } from "../../kube/object.ts";
import type { KindInfo, PatchableSchema } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { decodeFields, encodeFields, type FieldSet, fieldElement, fieldSet } from "./field_set.ts";

/** What is known of a kind when its fields' owners are tracked. */
export type TrackedKind = Pick<KindInfo, "schema" | "custom" | "status" | "scale">;

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** One manager's entry: who, since when, and which fields. */
export interface Owner extends Writer {
  readonly time?: string | undefined;
  readonly fields: FieldSet;
}

/** The owners of an object's fields, each under its identity. */
export type Owners = ReadonlyMap<string, Owner>;

/** What tells one entry from another, and orders them in messages. An applier stays the same in every version. */
export function identityOf({ manager, operation, apiVersion, subresource }: Writer): string {
  const version = operation === "Apply" ? undefined : apiVersion;
  return JSON.stringify({ manager, operation, apiVersion: version, subresource: subresource || undefined });
}

/** Reads the entries; undefined when one of them is malformed. */
export function decodeOwners(entries: readonly ManagedFields[] | undefined): Owners | undefined {
  const owners = new Map<string, Owner>();
  for (const entry of entries ?? []) {
    const owner = decodeOwner(entry);
    if (!owner) return undefined;
    owners.set(identityOf(owner), owner);
  }
  return owners;
}

function decodeOwner({ fieldsV1, fieldsType, ...entry }: ManagedFields): Owner | undefined {
  const { operation, apiVersion } = entry;
  if (!(operation === "Apply" || operation === "Update") || !apiVersion || fieldsType !== "FieldsV1") {
    return undefined;
  }
  try {
    const fields = decodeFields(fieldsV1);
    return { ...entry, manager: entry.manager ?? "", operation, apiVersion, fields };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The object with these owners as its managedFields, in the API server's order. */
export function withOwners(object: Stored, owners: Owners): Stored {
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = [...owners.values()].filter(({ fields }) => fields.size > 0).sort(byAge);
  if (entries.length === 0) return { ...object, metadata } as Stored;
  return { ...object, metadata: { ...metadata, managedFields: entries.map(encodeOwner) } } as Stored;
}

function encodeOwner({ fields, manager, operation, apiVersion, time, subresource }: Owner): ManagedFields {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFields(fields),
    ...(subresource ? { subresource } : {}),
  };
}

function byAge(a: Owner, b: Owner): number {
  const keys = (owner: Owner) => [
    owner.operation,
    owner.time ?? "",
    owner.manager,
    owner.apiVersion,
    owner.subresource ?? "",
  ];
  const [left, right] = [keys(a), keys(b)];
  const at = left.findIndex((key, i) => key !== right[i]);
  return at < 0 ? 0 : (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
}

/** The fields that a write to this subresource, or to the object itself, does not carry. */
export function resetFields(kind: TrackedKind, subresource: string | undefined): FieldSet {
  if (subresource === "status") {
    return fieldSet([[fieldElement("spec")], ...(kind.custom ? [[fieldElement("metadata")]] : [])]);
  }
  return fieldSet(subresource === undefined && kind.status ? [[fieldElement("status")]] : []);
}

const UNTRACKED_METADATA =
  "name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion";

/** What every object has without anybody managing it. */
export const UNTRACKED: FieldSet = fieldSet([
  ...["apiVersion", "kind", "metadata"].map((name) => [fieldElement(name)]),
  ...UNTRACKED_METADATA.split(" ").map((name) => [fieldElement("metadata"), fieldElement(name)]),
]);

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
