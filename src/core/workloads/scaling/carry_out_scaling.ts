import { ApiError, isForbidden, isInvalid, isNotFound } from "../../../kube/api_error.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import type { KubeObject, Partially } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { type Change, pausing, resuming } from "../gitops/pause.ts";
import type { ScalingIntent } from "./scaling_intent.ts";
import { holdersOf, SCALED_FOR, SCALED_FROM, scaledFrom } from "./scaling_marks.ts";
import { scalingRule, type Workload } from "./workload.ts";

/**
 * Does what was decided. Marks and replicas change in one patch, so that a workload is never down without a note of
 * what it had; one that has changed since it was looked at is refused as a conflict. What is brought back does not wait
 * for another one that the API server refuses to have changed: the first refusal is thrown at the end.
 */
export async function carryOutScaling(
  writer: Pick<Writer, "patch">,
  intents: readonly ScalingIntent[],
  call: CallOptions = {},
): Promise<void> {
  let refusal: unknown;
  for (const intent of intents) {
    const { resource, object } = "workload" in intent ? intent.workload : intent.owner;
    const change = changeOf(intent);
    if (!change) continue;
    const { uid, resourceVersion } = object.metadata;
    const { annotations, spec } = change;
    const patch = {
      metadata: { uid, resourceVersion, annotations },
      ...(spec ? { spec } : {}),
    } as unknown as Partially<KubeObject>;
    try {
      await writer.patch(resource as Resource, object.metadata, { type: "merge", patch }, call);
    } catch (error) {
      // There is nothing to scale any more.
      if (isNotFound(error)) continue;
      const told = explained(error, intent.type, { resource, object });
      if (!(error instanceof ApiError) || !BRINGS_BACK.has(intent.type)) throw told;
      refusal ??= told;
    }
  }
  if (refusal !== undefined) throw refusal;
}

const BRINGS_BACK: ReadonlySet<ScalingIntent["type"]> = new Set(["ScaleUp", "Resume"]);

/** The reason of a workload that refuses to be scaled, or of what would scale it and refuses to be paused. */
export const CANNOT_SCALE = "CannotScale";

const DONE: Readonly<Record<ScalingIntent["type"], readonly [string, string]>> = {
  ScaleDown: ["scaled down", "scale it down"],
  ScaleUp: ["scaled up", "scale it up"],
  Pause: ["paused", "pause it"],
  Resume: ["told to go on", "have it go on"],
};

function explained(
  error: unknown,
  type: ScalingIntent["type"],
  { resource, object }: { readonly resource: Resource; readonly object: KubeObject },
): unknown {
  if (!(error instanceof ApiError) || !(isForbidden(error) || isInvalid(error))) return error;
  const [done, doing] = DONE[type];
  const rule = isForbidden(error) ? `Grant the operator ${scalingRule([resource])}` : "Meet the rule";
  const message = `${object.kind} ${object.metadata.name} could not be ${done}: ${error.said}. ${rule}, or ${doing} yourself.`;
  return new Failure("structural", CANNOT_SCALE, message, { cause: error });
}

function changeOf(intent: ScalingIntent): Change | undefined {
  switch (intent.type) {
    case "ScaleDown":
      return down(intent);
    case "ScaleUp":
      return up(intent);
    case "Pause":
      return pausing(intent.owner.object, intent.holder);
    case "Resume":
      return resuming(intent.owner.object, intent.holder);
  }
}

interface Held {
  readonly workload: Workload;
  readonly holder: string;
}

function down({ workload, holder }: Held): Change {
  const { object, replicas } = workload;
  const holders = [...new Set([...holdersOf(object), holder])];
  // A number that somebody has given it since is the one to go back to.
  const from = replicas > 0 ? replicas : (scaledFrom(object) ?? replicas);
  const marks = { [SCALED_FOR]: holders.join(","), [SCALED_FROM]: String(from) };
  const paused = pausing(object, holder)?.annotations;
  return { annotations: { ...paused, ...marks }, spec: { replicas: 0 } };
}

/** The last one brings it back, unless somebody has given it another number meanwhile. */
function up({ workload, holder }: Held): Change {
  const { object, replicas } = workload;
  const others = holdersOf(object).filter((uid) => uid !== holder);
  const resumed = resuming(object, holder)?.annotations;
  if (others.length > 0) return { annotations: { ...resumed, [SCALED_FOR]: others.join(",") } };
  const annotations = { ...resumed, [SCALED_FOR]: null, [SCALED_FROM]: null };
  const from = scaledFrom(object);
  return replicas === 0 && from !== undefined ? { annotations, spec: { replicas: from } } : { annotations };
}
