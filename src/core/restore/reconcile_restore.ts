import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { Failure } from "../../kube/failure.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { act, explain, type OwnActs } from "../reconcile/act.ts";
import type { Intent } from "../reconcile/decision.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import { keepingReadyState } from "../reconcile/ready_state.ts";
import { withEarlier } from "../reconcile/task_plan.ts";
import { carryOutPopulation } from "../volumes/populator/carry_out_population.ts";
import { decideRestore } from "./decide_restore.ts";
import { earlierTasks, observeRestore } from "./observe_restore.ts";
import { decidePopulations, type PopulationsDecision } from "./populate/decide_populations.ts";
import { observePopulations } from "./populate/observe_populations.ts";
import type { RefusedClaims } from "./reserving.ts";
import type { Restore, RestoreState } from "./restore.ts";
import { decideRestoreDeletion, observeRestoreDeletion } from "./restore_deletion.ts";
import type { RestorePorts } from "./restore_ports.ts";

/** Brings a snapshot back into the volume of a restore, or of the claims that name it. */
export async function reconcileRestore(
  ports: RestorePorts,
  refused: RefusedClaims,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const known = ports.restore(key);
  const filled = await fillClaims(ports, key, signal);
  if (!known) refused.forget(key);
  if (!known || filled) return filled ?? done;
  const { restore } = known;
  const target = { resource: ports.api.resource, object: restore };
  const own = ownActs(ports);
  if (restore.metadata.deletionTimestamp) {
    const decision = decideRestoreDeletion(await observeRestoreDeletion(ports, restore, signal));
    return act(ports, target, decision, signal, own);
  }
  const observed = { ...(await observeRestore(ports, known, signal)), refusedAt: refused.at(restore) };
  const earlier = await earlierTasks(ports, known, observed, signal);
  const decision = withEarlier(decideRestore(observed), earlier);
  try {
    return await act(ports, target, decision, signal, own);
  } catch (error) {
    refused.note(restore, error, ports.clock.now());
    throw error;
  }
}

function ownActs({ api: { shown } }: Pick<RestorePorts, "api">): OwnActs<Restore, never> {
  return shown ? { shown } : {};
}

/** Looks after the claims that name the restore; undefined where it has work of its own. */
async function fillClaims(
  ports: RestorePorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { restore } = ports.restore(key) ?? {};
  const isPassive = restore !== undefined && restore.spec.target === undefined;
  const concerns = ports.claimsNaming(key).length > 0 || ports.primesFrom(key).length > 0;
  if (!isPassive && !concerns) return undefined;
  const decision = decidePopulations(await observePopulations(ports, key, signal));
  const outcome = await actOnPopulations(ports, restore, decision, signal);
  return isPassive || !restore ? outcome : undefined;
}

type ActPorts = Pick<RestorePorts, "api" | "client" | "clock" | "events" | "reported" | "tasks">;

/**
 * Carries out what was decided for the claims that name a restore. One that fails keeps none of the others waiting. What
 * could not be done before may be tried again at any change; it is told once, or telling it would be such a change.
 */
export async function actOnPopulations(
  ports: ActPorts,
  restore: Restore | undefined,
  { status, events, claims, wakeAt }: PopulationsDecision,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, clock, api } = ports;
  const { resource } = api;
  const reported = restore && ports.reported?.echo(restore);
  const wanted = restore && status && (reported ? withConditionsOf(restore, status, clock.now()) : status);
  const change = wanted && { resource, object: restore, status: api.shown?.(wanted) ?? wanted };
  const present = change ? await writeFitted(client, change, { signal }) : restore;
  if (restore && !reported) for (const note of events) ports.events.event(restore, note);
  const errors: unknown[] = [];
  for (const { observed, intents, news } of claims) {
    if (observed.claim && news) ports.events.event(observed.claim, news);
    try {
      for (const intent of intents) await carryOut(ports, intent, signal);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    const failure = errors.find((error) => error instanceof Failure);
    // Whoever refuses may word it anew each time.
    if (present && failure) {
      if (reported?.reason === failure.reason) ports.reported?.remember(present, failure);
      else await explain(ports, { resource, object: present }, failure, signal);
    }
    throw failure ?? errors[0];
  }
  // What was reported is over.
  if (reported && present && status)
    await writeFitted(client, { resource, object: present, status }, { signal });
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** The status, in which the restore stands as it was told to. */
function withConditionsOf(restore: Restore, status: RestoreState, now: number): RestoreState {
  return { ...status, conditions: keepingReadyState(restore, status.conditions ?? [], now) };
}

async function carryOut({ client, tasks }: ActPorts, intent: Intent, signal: AbortSignal): Promise<void> {
  if (intent.type === "Run") await tasks.carryOut(intent.decision, { signal });
  if (intent.type === "Populate") await carryOutPopulation(client, intent.intents, { signal });
}
