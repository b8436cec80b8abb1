import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import type { LabelSelector } from "../../../kube/label_selector.ts";
import type { OwnerReference } from "../../../kube/object.ts";
import { runId } from "../../work/run_id.ts";

/** Something that is done around the capture of volumes. */
export interface Hook {
  /** How it is called in messages, such as `beforeSnapshot[0]`. */
  readonly name: string;
  readonly action: HookAction;
  /** Milliseconds that it may take. */
  readonly timeout: number;
  /** What comes after it is done also when it fails. */
  readonly continueOnFailure: boolean;
}

export type HookAction =
  | { readonly exec: ExecAction }
  /**
   * A Job that runs to its end. `ours`: its pod is like a mover's, and has a mover's account. `reports`: what its pod
   * leaves as its termination message is part of how it ended. `lends`: a Secret of another namespace, of which it has a
   * copy under its own name as long as it is there.
   */
  | {
      readonly job: JobSpec;
      readonly ours?: true;
      readonly reports?: true;
      readonly lends?: { readonly namespace: string; readonly name: string };
    };

/** A command in pods of a workload. */
export interface ExecAction {
  readonly selector: LabelSelector;
  /** In one of the pods that are ready, or in all of them, one after the other. */
  readonly pods: "Any" | "All";
  /** Default: the pod's first. */
  readonly container?: string;
  readonly command: readonly string[];
  /** It does no harm twice: it is run again where it is not known how it ended. */
  readonly repeatable: boolean;
}

/** A list of hooks that are run one after the other, once. */
export interface HookSeries {
  /** Whose they are. */
  readonly owner: OwnerReference;
  /** Where pods are looked for and Jobs are made: the owner's. */
  readonly namespace: string;
  /** One word in lower case: an owner has one series of each at a time. */
  readonly purpose: string;
  /** Counted from 1: how often the owner has begun this series. */
  readonly round: number;
  readonly hooks: readonly Hook[];
}

/** The name of a hook's Job, and of what is remembered of it: the same in whatever process. */
export function hookId({ owner, purpose, round }: HookSeries, index: number): string {
  return runId({ owner, purpose: `${purpose}-${index}`, attempt: round });
}

/** The Secret that the Job of a hook is lent. */
export function lentTo({ hooks }: HookSeries, index: number) {
  const { action } = hooks[index] ?? {};
  return action && "job" in action ? action.lends : undefined;
}
