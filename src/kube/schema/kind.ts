import type { z } from "zod";
import type { Resource } from "../resource.ts";
import { type Authored, fromZod } from "./from_zod.ts";
import type { ValidationRule } from "./structural.ts";

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** Such as `.status.phase`. */
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above 0 show with `-o wide` alone. Default 0. */
  readonly priority?: number;
}

/** Where the scale subresource finds its numbers. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One definition of a kind; all else about it is made from this. */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** What the kind is for, in a sentence or two. */
  readonly description: string;
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject;
  /** False where the status is written with the rest of the object. Default true. */
  readonly statusSubresource?: boolean;
  /** Rules over the whole object. */
  readonly rules?: readonly ValidationRule[];
  readonly printerColumns?: readonly PrinterColumn[];
  readonly scale?: ScalePaths;
}

/** A kind with its schema translated. */
export interface Kind extends Omit<KindDefinition, "spec" | "status"> {
  readonly singular: string;
  /** Of the whole object, without its metadata. */
  readonly schema: Authored;
}

/** Defines a kind. Throws NotStructural when its schemas say what a CRD cannot. */
export function defineKind(definition: KindDefinition): Kind {
  const { spec, status, rules, ...rest } = definition;
  return {
    ...rest,
    singular: definition.singular ?? definition.kind.toLowerCase(),
    schema: {
      type: "object",
      description: definition.description,
      properties: { spec: fromZod(spec), ...(status ? { status: fromZod(status) } : {}) },
      required: ["spec"],
      ...(rules ? { "x-kubernetes-validations": rules } : {}),
    },
  };
}

/** How clients address the kind. */
export function resourceOf(kind: Kind): Resource {
  const { group, version, plural } = kind;
  return { group, version, kind: kind.kind, plural, namespaced: kind.scope === "Namespaced" };
}
