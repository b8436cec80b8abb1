import { ensureClaim } from "../../core/volumes/ensure_claim.ts";
import { carryOutPopulation } from "../../core/volumes/populator/carry_out_population.ts";
import { carryOutStaging } from "../../core/volumes/staging/carry_out_staging.ts";
import { endRunsOf } from "../../core/work/end_runs.ts";
import { carryOutScaling } from "../../core/workloads/scaling/carry_out_scaling.ts";
import type { Patch } from "../../kube/client.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { Failure } from "../../kube/controller/failure.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { removeFinalizer } from "../../kube/write/finalizers.ts";
import { unreachable } from "../../lib/result.ts";
import { carryOutDelegate } from "./backup/delegate/carry_out_delegate.ts";
import { deletionHasFailed, orphanedBy } from "./backup/deletion_news.ts";
import { carryOutFan } from "./backup/fan/carry_out_fan.ts";
import type { Decision, Intent } from "./decision.ts";
import type { KopiurPorts } from "./ports.ts";
import { carryOutRecipes } from "./reach/carry_out_recipes.ts";
import { noteKept } from "./repository/kept_snapshots.ts";
import { TellingFailure } from "./telling_failure.ts";
import { conditionsFor, newsOf, standOf } from "./verdicts.ts";
import { writeFitted } from "./write_fitted.ts";

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
  const { client, clock, tally } = ports;
  const { status, intents, wakeAt } = decision;
  const { namespace = "" } = object.metadata;
  const echo = ports.told?.echo(object);
  if (echo) throw echo;
  let present = status ? await writeFitted(client, { resource, object, status }, { signal }) : object;
  if (status && deletionHasFailed(object.status, status)) tally?.snapshotDeletionFailed(namespace);
  for (const note of decision.events ?? []) tell(ports, object, note);
  try {
    for (const intent of intents)
      present = await carryOut(ports, { resource, object: present }, intent, signal);
  } catch (error) {
    if (error instanceof Failure) await explain(ports, { resource, object: present }, error, signal);
    throw error;
  }
  const orphaned = orphanedBy(object, decision);
  if (orphaned > 0) tally?.snapshotsOrphaned(namespace, orphaned);
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** What goes wrong is in the log in the same words, for whoever looks when the object is gone. */
function tell({ events, log }: KopiurPorts, object: KubeObject, note: EventNote): void {
  events.event(object, note);
  const { type, reason, message } = note;
  if (type === "Warning") log.warn({ kind: object.kind, key: keyOf(object), reason }, message);
}

async function carryOut<T extends Kept>(
  { client, tasks, hooks }: KopiurPorts,
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
    case "Stage":
      await carryOutStaging(client, intent.intents, { signal });
      return object;
    case "Populate":
      await carryOutPopulation(client, intent.intents, { signal });
      return object;
    case "Scale":
      await carryOutScaling(client, intent.intents, { signal });
      return object;
    case "Delegate":
      await carryOutDelegate(client, intent.intent, { signal });
      return object;
    case "Delegates":
      return carryOutFan(client, target, intent.intents, { signal });
    case "Recipes":
      await carryOutRecipes(client, intent, { signal });
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
    case "NoteKept":
      await noteKept(client, intent.kept, { signal });
      return object;
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
  { client, events, clock, told }: KopiurPorts,
  { resource, object }: Target<T>,
  failure: Failure,
  signal: AbortSignal,
): Promise<void> {
  const stand = { ...standOf(failure), warning: true };
  const conditions = conditionsFor(object, stand, [], clock.now());
  const more = failure instanceof TellingFailure ? failure.status : {};
  const status = { ...object.status, ...more, conditions };
  for (const note of newsOf(object, stand)) events.event(object, note);
  const written = await writeFitted(client, { resource, object, status }, { signal });
  told?.remember(written, failure);
}
