import type { SelectOptions } from "./client.ts";

/**
 * What is kept of an object: of each field either all, or the fields named within it, whether it holds an object or a
 * list of them. What is not named is dropped.
 */
export interface Projection {
  readonly [field: string]: true | Projection;
}

/** What of each field is kept where either keeps it. Without a projection all is. */
export function joinedProjection(
  a: Projection | undefined,
  b: Projection | undefined,
): Projection | undefined {
  if (!a || !b) return undefined;
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...fields].map((field) => [field, joinedField(a[field], b[field])]));
}

function joinedField(a: true | Projection | undefined, b: true | Projection | undefined): true | Projection {
  if (a === undefined || b === undefined) return a ?? b ?? true;
  return a === true || b === true ? true : (joinedProjection(a, b) ?? true);
}

type Asked = Pick<SelectOptions, "keep" | "omitManagedFields">;

/** What happens to a value of JSON: it is kept, it is dropped, or that is decided field by field. */
export type Plan = "keep" | "drop" | FieldPlan;

export interface FieldPlan {
  readonly fields: readonly { readonly name: string; readonly utf8: Uint8Array; readonly plan: Plan }[];
  /** For every other field. */
  readonly others: "keep" | "drop";
}

export const listPlan = (asked: Asked): Plan => within("items", objectPlan(asked));

export const eventPlan = (asked: Asked): Plan => within("object", objectPlan(asked));

function objectPlan({ keep, omitManagedFields }: Asked): Plan {
  const metadata = omitManagedFields ? fieldPlan({ managedFields: "drop" }, "keep") : "keep";
  if (keep) return fieldPlan({ ...named(keep), apiVersion: "keep", kind: "keep", metadata }, "drop");
  return within("metadata", metadata);
}

function named(projection: Projection): Record<string, Plan> {
  const entries = Object.entries(projection);
  return Object.fromEntries(
    entries.map(([field, kept]) => [field, kept === true ? "keep" : fieldPlan(named(kept), "drop")]),
  );
}

const within = (field: string, plan: Plan): Plan =>
  plan === "keep" ? "keep" : fieldPlan({ [field]: plan }, "keep");

function fieldPlan(plans: Readonly<Record<string, Plan>>, others: FieldPlan["others"]): FieldPlan {
  const entries = Object.entries(plans);
  const fields = entries.map(([name, plan]) => ({ name, utf8: Buffer.from(name), plan }));
  return { fields, others };
}
