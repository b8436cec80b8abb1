import type { Json } from "../../lib/json.ts";

/** A CEL rule of a schema node, as `x-kubernetes-validations` holds it. */
export interface ValidationRule {
  /** True when the value is good. `self` is the value; a rule that names `oldSelf` runs on updates alone. */
  readonly rule: string;
  readonly message?: string;
  /** An expression that gives the message; `message` stands in when it fails. */
  readonly messageExpression?: string;
  /** Default FieldValueInvalid. */
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  /** Path below this node that the failure is reported for, such as `.name`. */
  readonly fieldPath?: string;
  /** `oldSelf` is an optional and the rule runs on creation too. */
  readonly optionalOldSelf?: boolean;
}

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/** What may stand inside allOf, anyOf, oneOf and not: checks of a value, nothing that shapes it. */
export interface ValueChecks {
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
}

/** A node of a CRD's schema (apiextensions.k8s.io/v1), in the structural form that the API server demands. */
export interface Structural extends ValueChecks {
  /** Absent only with preserve-unknown-fields, with int-or-string, or inside a junctor. */
  readonly type?: SchemaType;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Structural>>;
  readonly additionalProperties?: Structural | true;
  readonly items?: Structural;
  readonly allOf?: readonly Structural[];
  readonly anyOf?: readonly Structural[];
  readonly oneOf?: readonly Structural[];
  readonly not?: Structural;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "granular" | "atomic";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** The fields of a resource's root that no schema describes. */
export const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of one field: its own, or the one that a map has for every key. */
export function fieldSchema(schema: Structural | undefined, name: string): Structural | undefined {
  const own = schema?.properties;
  if (own && Object.hasOwn(own, name)) return own[name];
  const rest = schema?.additionalProperties;
  return typeof rest === "object" ? rest : undefined;
}

/** Tells whether something holds for a schema or for any below it. It is found out once: schemas do not change. */
export function somewhereIn(holds: (schema: Structural) => boolean): (schema: Structural) => boolean {
  const known = new WeakMap<Structural, boolean>();
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    // A set that grows while it is walked: a schema may hold itself, as that of a CRD does.
    const reached = new Set([schema]);
    for (const one of reached) for (const child of below(one)) reached.add(child);
    const found = reached.values().some(holds);
    if (found) known.set(schema, true);
    else for (const one of reached) known.set(one, false);
    return found;
  };
}

function below({ properties = {}, items, additionalProperties: rest }: Structural): readonly Structural[] {
  const children = [...Object.values(properties), items, rest === true ? undefined : rest];
  return children.filter((child) => child !== undefined);
}
