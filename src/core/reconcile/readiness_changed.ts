import type { Change } from "../../kube/cache/cache.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { jsonEqual } from "../../lib/json.ts";

/** A repository or a recipe, as far as its users look at it. */
interface Used extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly uniqueID?: string;
    readonly resolved?: object;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * Whether a change of a repository or a recipe may matter to those who use it. Its status also tells of what goes on:
 * if that woke everybody who waits, a thousand would look whenever one run ends. Those whose turn it is are woken by name.
 */
export function readinessChanged(change: Change<Used>): boolean {
  return change.type !== "updated" || !jsonEqual(mattersOf(change.previous), mattersOf(change.object));
}

function mattersOf({ metadata, status = {} }: Used): readonly unknown[] {
  const { generation = 0, annotations = {}, deletionTimestamp = "" } = metadata;
  const { phase = "", observedGeneration = 0, uniqueID = "", resolved = {}, conditions = [] } = status;
  const ready = conditions.find(({ type }) => type === "Ready")?.reason ?? "";
  return [generation, annotations, deletionTimestamp, phase, observedGeneration, uniqueID, resolved, ready];
}
