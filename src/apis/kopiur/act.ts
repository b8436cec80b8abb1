import { ensureClaim } from "../../core/volumes/ensure_claim.ts";
import { carryOutStaging } from "../../core/volumes/staging/carry_out_staging.ts";
import type { Patch } from "../../kube/client.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { Failure } from "../../kube/controller/failure.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { removeFinalizer } from "../../kube/write/finalizers.ts";
import { writeStatus } from "../../kube/write/status.ts";
import { unreachable } from "../../lib/result.ts";
import type { Decision, Intent } from "./decision.ts";
import type { KopiurPorts } from "./ports.ts";
import { conditionsFor, newsOf, standOf } from "./verdicts.ts";

type Kept = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

export interface Target<T extends Kept> {
  readonly resource: Resource<T>;
  /** As it was read, when the decision was made. */
  readonly object: T;
}

/** Carries a decision out: first what is said, then what is done, so that nothing is done on an old state. */
export async function act<T extends Kept>(
  ports: KopiurPorts,
  { resource, object }: Target<T>,
  decision: Decision<object>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, events, clock } = ports;
  const { status, intents, wakeAt } = decision;
  let present = status ? await writeStatus(client, { resource, object, status }, { signal }) : object;
  for (const note of decision.events ?? []) events.event(object, note);
  try {
    for (const intent of intents)
      present = await carryOut(ports, { resource, object: present }, intent, signal);
  } catch (error) {
    if (error instanceof Failure) await explain(ports, { resource, object: present }, error, signal);
    throw error;
  }
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

async function carryOut<T extends Kept>(
  { client, tasks }: KopiurPorts,
  target: Target<T>,
  intent: Intent,
  signal: AbortSignal,
): Promise<T> {
  const { resource, object } = target;
  switch (intent.type) {
    case "Run":
      await tasks.carryOut(intent.decision, { signal });
      return object;
    case "EnsureClaim":
      await ensureClaim(client, intent.request, { signal });
      return object;
    case "Stage":
      await carryOutStaging(client, intent.intents, { signal });
      return object;
    case "Hold": {
      const { finalizers = [], resourceVersion } = object.metadata;
      const held = [...new Set([...finalizers, intent.finalizer])];
      const patch = { metadata: { resourceVersion, labels: intent.labels, finalizers: held } };
      return client.patch(resource, object.metadata, { type: "merge", patch } as unknown as Patch<T>, {
        signal,
      });
    }
    case "LetGo":
      return (
        (await removeFinalizer(client, { ...target, finalizer: intent.finalizer }, { signal })) ?? object
      );
    default:
      return unreachable(intent);
  }
}

/** What could not be done shows on the object, in the words of the log. */
async function explain<T extends Kept>(
  { client, events, clock }: KopiurPorts,
  { resource, object }: Target<T>,
  failure: Failure,
  signal: AbortSignal,
): Promise<void> {
  const stand = { ...standOf(failure), warning: true };
  const conditions = conditionsFor(object, stand, [], clock.now());
  const status = { ...object.status, conditions };
  for (const note of newsOf(object, stand)) events.event(object, note);
  await writeStatus(client, { resource, object, status }, { signal });
}
