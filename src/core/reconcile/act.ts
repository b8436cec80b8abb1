import type { Patch } from "../../kube/client.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { Failure } from "../../kube/failure.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { removeFinalizer } from "../../kube/write/finalizers.ts";
import { unreachable } from "../../lib/result.ts";
import { ensureClaim } from "../volumes/ensure_claim.ts";
import { markClaim } from "../volumes/mark_claim.ts";
import { carryOutPopulation } from "../volumes/populator/carry_out_population.ts";
import { carryOutStaging } from "../volumes/staging/carry_out_staging.ts";
import { endRunsOf } from "../work/end_runs.ts";
import { carryOutScaling } from "../workloads/scaling/carry_out_scaling.ts";
import type { Decision, Intent } from "./decision.ts";
import type { EngineRoom } from "./engine_room.ts";
import { writeFitted } from "./fitted_status.ts";
import { conditionsFor, newsOf, readyStateOf } from "./ready_state.ts";
import { ReportedFailure } from "./reported_failure.ts";

type Kept = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

export interface Target<T extends Kept> {
  readonly resource: Resource<T>;
  /** As it was read, when the decision was made. */
  readonly object: T;
}

/** What an API does beyond what every API may. */
export interface OwnActs<T extends Kept, More> {
  /** Carries an intent of its own out. The object as it is then. */
  act?(target: Target<T>, intent: More, signal: AbortSignal): Promise<T>;
  /** The status as its API shows it. Default: as it was decided. */
  shown?(status: object): object;
  /** Is told of each status that was written. */
  wrote?(status: object): void;
}

type ActPorts = Pick<EngineRoom, "client" | "clock" | "events" | "log" | "tasks" | "hooks" | "reported">;

/** Carries a decision out: first what is said, then what is done, so that nothing is done on an old state. */
export async function act<T extends Kept, More extends { readonly type: string } = never>(
  ports: ActPorts,
  { resource, object }: Target<T>,
  decision: Decision<object, More>,
  signal: AbortSignal,
  own?: OwnActs<T, More>,
): Promise<Outcome> {
  const { client, clock } = ports;
  const { intents, wakeAt } = decision;
  const status = decision.status && (own?.shown?.(decision.status) ?? decision.status);
  const failed = ports.reported?.echo(object);
  if (failed) throw failed;
  let present = status ? await writeFitted(client, { resource, object, status }, { signal }) : object;
  if (status) own?.wrote?.(status);
  for (const note of decision.events ?? []) tell(ports, object, note);
  try {
    for (const intent of intents) {
      const target = { resource, object: present };
      present = isShared(intent)
        ? await carryOut(ports, target, intent, signal)
        : ((await own?.act?.(target, intent, signal)) ?? present);
    }
  } catch (error) {
    if (error instanceof Failure) await explain(ports, { resource, object: present }, error, signal);
    throw error;
  }
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** What goes wrong is in the log in the same words, for whoever looks when the object is gone. */
function tell({ events, log }: ActPorts, object: KubeObject, note: EventNote): void {
  events.event(object, note);
  const { type, reason, message } = note;
  if (type === "Warning") log.warn({ kind: object.kind, key: keyOf(object), reason }, message);
}

const SHARED: Readonly<Record<Intent["type"], true>> = {
  Run: true,
  EnsureClaim: true,
  MarkClaim: true,
  Stage: true,
  Populate: true,
  Scale: true,
  Hooks: true,
  EndRuns: true,
  Hold: true,
  LetGo: true,
};

function isShared<More extends { readonly type: string }>(intent: Intent | More): intent is Intent {
  return intent.type in SHARED;
}

async function carryOut<T extends Kept>(
  { client, tasks, hooks }: ActPorts,
  target: Target<T>,
  intent: Intent,
  signal: AbortSignal,
): Promise<T> {
  const { resource, object } = target;
  switch (intent.type) {
    case "Run":
      await tasks.carryOut(intent.decision, { signal });
      return object;
    case "Hooks":
      await hooks.carryOut(intent.series, intent.intents, { signal });
      return object;
    case "EnsureClaim":
      await ensureClaim(client, intent.request, { signal });
      return object;
    case "MarkClaim":
      await markClaim(client, intent, { signal });
      return object;
    case "Stage":
      await carryOutStaging(client, intent.intents, { signal });
      return object;
    case "Populate":
      await carryOutPopulation(client, intent.intents, { signal });
      return object;
    case "Scale":
      await carryOutScaling(client, intent.intents, { signal });
      return object;
    case "EndRuns":
      await endRunsOf(client, object, { signal });
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
export async function explain<T extends Kept>(
  { client, events, clock, reported }: Pick<ActPorts, "client" | "events" | "clock" | "reported">,
  { resource, object }: Target<T>,
  failure: Failure,
  signal: AbortSignal,
): Promise<void> {
  const readyState = { ...readyStateOf(failure), warning: true };
  const conditions = conditionsFor(object, readyState, [], clock.now());
  const more = failure instanceof ReportedFailure ? failure.status : {};
  const status = { ...object.status, ...more, conditions };
  for (const note of newsOf(object, readyState)) events.event(object, note);
  const written = await writeFitted(client, { resource, object, status }, { signal });
  reported?.remember(written, failure);
}
