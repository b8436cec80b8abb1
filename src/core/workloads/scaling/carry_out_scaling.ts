import { ApiError, isForbidden, isInvalid, isNotFound } from "../../../kube/api_error.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import type { Partially } from "../../../kube/object.ts";
import type { ScalingIntent } from "./scaling_intent.ts";
import { holdersOf, SCALED_FOR, SCALED_FROM, scaledFrom } from "./scaling_marks.ts";
import { type Scalable, scalingRule, workloadText } from "./workload.ts";

/**
 * Does what was decided. Marks and replicas change in one patch, so that a workload is never down without a note of
 * what it had; one that has changed since it was looked at is refused as a conflict.
 */
export async function carryOutScaling(
  writer: Pick<Writer, "patch">,
  intents: readonly ScalingIntent[],
  call: CallOptions = {},
): Promise<void> {
  for (const intent of intents) {
    const { resource, object } = intent.workload;
    const { uid, resourceVersion } = object.metadata;
    const { annotations, replicas } = intent.type === "ScaleDown" ? down(intent) : up(intent);
    const patch = {
      metadata: { uid, resourceVersion, annotations },
      ...(replicas === undefined ? {} : { spec: { replicas } }),
    } as unknown as Partially<Scalable>;
    try {
      await writer.patch(resource, object.metadata, { type: "merge", patch }, call);
    } catch (error) {
      // There is nothing to scale any more.
      if (!isNotFound(error)) throw explained(error, intent);
    }
  }
}

/** The reason of a workload that refuses to be scaled. */
export const CANNOT_SCALE = "CannotScale";

function explained(error: unknown, { type, workload }: ScalingIntent): unknown {
  if (!(error instanceof ApiError) || !(isForbidden(error) || isInvalid(error))) return error;
  const way = type === "ScaleDown" ? "down" : "up";
  const rule = isForbidden(error)
    ? `Grant the operator ${scalingRule([workload.resource])}`
    : "Meet the rule";
  const message = `${workloadText(workload)} could not be scaled ${way}: ${error.said}. ${rule}, or scale it ${way} yourself.`;
  return new Failure("structural", CANNOT_SCALE, message, { cause: error });
}

interface Change {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly replicas?: number;
}

function down({ workload, holder }: ScalingIntent): Change {
  const { object, replicas } = workload;
  const holders = [...new Set([...holdersOf(object), holder])];
  // A number that somebody has given it since is the one to go back to.
  const from = replicas > 0 ? replicas : (scaledFrom(object) ?? replicas);
  return { annotations: { [SCALED_FOR]: holders.join(","), [SCALED_FROM]: String(from) }, replicas: 0 };
}

/** The last one brings it back, unless somebody has given it another number meanwhile. */
function up({ workload, holder }: ScalingIntent): Change {
  const { object, replicas } = workload;
  const others = holdersOf(object).filter((uid) => uid !== holder);
  if (others.length > 0) return { annotations: { [SCALED_FOR]: others.join(",") } };
  const annotations = { [SCALED_FOR]: null, [SCALED_FROM]: null };
  const from = scaledFrom(object);
  return replicas === 0 && from !== undefined ? { annotations, replicas: from } : { annotations };
}
