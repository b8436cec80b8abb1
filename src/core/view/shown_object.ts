import { type KubeObject, keyOf, type ObjectName } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { REASONS } from "../reconcile/reasons.ts";

/** An object of any API, as far as all of them are shown alike. */
export interface ShownObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly logTail?: string;
    readonly failure?: {
      readonly errorClass: string;
      readonly message: string;
      readonly remedy?: string;
      /** The engine's own words. */
      readonly stderrTail?: string;
      readonly retry: Retry;
      readonly attempt?: number;
      readonly at?: string;
    };
    readonly job?: { readonly name?: string; readonly namespace?: string };
  };
}

export type Retry = "transient" | "structural" | "terminal";

export function conditionOf(object: ShownObject, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Why the object is not as it should be: in the words of what failed, else of what it waits for. */
export function complaintOf(object: ShownObject): string | undefined {
  const { failure } = object.status ?? {};
  const stalled = conditionOf(object, "Stalled");
  const ready = conditionOf(object, "Ready");
  if (failure) return failure.message;
  if (stalled?.status === "True") return stalled.message;
  return ready?.status === "False" ? ready.message : undefined;
}

/** What a run says of itself while it goes on, or waits for its turn, or for what is given up when it takes too long. */
const GOES_ON: readonly string[] = [
  REASONS.queued,
  ...["Preparing", "Running", "RunningHooks", "Settling", "OtherBackupsRun", "HandingOver"],
  ...["SnapshotPending", "SnapshotGoing", "GroupSnapshotPending", "GroupSnapshotGoing"],
  ...["CopyPending", "CopyGoing", "SourceBusy"],
];

/** What is in the way of a run that has not ended; undefined while it goes on as it should. */
export function heldUp(run: ShownObject): string | undefined {
  const reconciling = conditionOf(run, "Reconciling");
  if (reconciling?.status !== "True" || GOES_ON.includes(reconciling.reason)) return undefined;
  return reconciling.message;
}

/** An object by its kind and name. */
export interface ObjectRef extends ObjectName {
  readonly kind: string;
}

export function refOf({ kind, metadata: { namespace, name } }: KubeObject): ObjectRef {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** An object as a command line names it, with its namespace: `backup/monday -n home`. */
export function namedText({
  kind,
  metadata,
}: Pick<KubeObject, "kind"> & { readonly metadata: ObjectName }): string {
  const { namespace, name } = metadata;
  return `${kind.toLowerCase()}/${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}

/** How an object is named on a screen: with its namespace where several are shown. */
export function whereText({ namespace, name }: ObjectName, all: boolean): string {
  return all ? keyOf({ namespace, name }) : name;
}

/** An object in a sentence: `Backup home/monday`. */
export function refText({ kind, ...name }: ObjectRef, all: boolean): string {
  return `${kind} ${whereText(name, all)}`;
}
