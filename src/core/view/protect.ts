import type { KubeObject, ObjectMeta } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Listed } from "./api_view.ts";

/** What a person may choose about how a volume is protected. */
export interface ProtectOption {
  readonly name: string;
  readonly title: string;
  /** Without any: a text. */
  readonly values?: readonly string[];
  readonly value: string;
}

/** A part of an object that is to be as written, whether or not the object is there: it is applied by the server. */
export interface ProtectWrite {
  readonly resource: Resource;
  readonly object: {
    readonly metadata: Pick<ObjectMeta, "name" | "namespace" | "labels" | "annotations">;
    readonly spec?: object;
  };
}

/** What one API would do for one volume. */
export interface ProtectPlan {
  readonly title: string;
  /** A sentence each. */
  readonly says: readonly string[];
  /** Why it cannot be done yet, and what helps. Then nothing is written. */
  readonly missing?: string;
  readonly options: readonly ProtectOption[];
  readonly writes: readonly ProtectWrite[];
}

export interface ProtectFacts extends Listed {
  readonly claim: KubeObject;
  /** What was chosen, by the options' names. What is not one of an option's values counts as its default. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** The option with what was chosen. */
export function chosenOption(option: ProtectOption, chosen: ProtectFacts["chosen"]): ProtectOption {
  const value = Object.hasOwn(chosen, option.name) ? chosen[option.name] : undefined;
  const allowed = value !== undefined && (option.values?.includes(value) ?? true);
  return allowed ? { ...option, value } : option;
}

/** A name that none of the objects has: the wanted one, or that with a number. */
export function freeName(wanted: string, taken: readonly KubeObject[]): string {
  const names = new Set(taken.map(({ metadata }) => metadata.name));
  if (!names.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted.slice(0, 240)}-${number}`;
    if (!names.has(name)) return name;
  }
}
