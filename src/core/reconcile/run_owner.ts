import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";

/** What the engine room reads and keeps in the status of any object that has work done. */
export interface OwnerState {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  /** What is remembered of runs and the like, by purpose. */
  readonly work?: Readonly<Record<string, unknown>>;
}

/**
 * An object that has work done: it owns the runs, and its status remembers them. An API whose status has another shape
 * hands in an object that has this one, and writes what it gets back under its own names.
 */
export interface RunOwner<State extends OwnerState = OwnerState> {
  readonly resource: Resource;
  readonly object: KubeObject & { readonly status?: State };
}
