import type { Resource } from "../../kube/resource.ts";
import type { PrinterColumn, ScalePaths } from "../../kube/schema/kind.ts";
import type { Problem } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import type { Stored } from "../store/store.ts";

/** A schema with the marks that a strategic merge patch goes by; only built-in kinds have them. */
export interface PatchableSchema extends Structural {
  readonly properties?: Readonly<Record<string, PatchableSchema>>;
  readonly items?: PatchableSchema;
  readonly additionalProperties?: PatchableSchema | true;
  /** `merge`, `replace`, `retainKeys`, or two of them with a comma. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** What the field is when it is not there, as Go has it. It identifies items of lists, and is not written out. */
  readonly zero?: unknown;
}

/** Everything that the API server knows about one served version of a kind, built-in or from a CRD. */
export interface KindInfo {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** From a CustomResourceDefinition: no strategic patches, unknown fields pruned by schema, CEL rules. */
  readonly custom: boolean;
  /** The version that objects are stored in; other served versions of a CRD convert by renaming (strategy None). */
  readonly storageVersion: string;
  readonly schema: PatchableSchema;
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** `create`, `delete`, `deletecollection`, `get`, `list`, `patch`, `update`, `watch`. */
  readonly verbs: readonly string[];
  /** Field selectors beyond metadata.name and metadata.namespace, such as `spec.nodeName`: path to value. */
  readonly selectableFields: Readonly<Record<string, (object: Stored) => string>>;
  /** metadata.generation counts changes of everything but metadata and status. Built-in kinds without it have none. */
  readonly generation: boolean;
  readonly columns: readonly PrinterColumn[];
  /** What the API server fills in beyond schema defaults, on every write. Pure. */
  readonly defaults?: (object: Stored) => Stored;
  /** What it sets on creation alone, once the object has its name, uid and no status: call it last. Pure. */
  readonly onCreate?: (object: Stored) => Stored;
  /** What the API server refuses beyond the schema: on creation `old` is undefined. Pure. */
  readonly check?: (object: Stored, old: Stored | undefined) => readonly Problem[];
}

/** What a built-in kind has beyond its schema. */
export type KindRules = Partial<Pick<KindInfo, "defaults" | "onCreate" | "check" | "selectableFields">>;
