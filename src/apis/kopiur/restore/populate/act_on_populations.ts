import { carryOutPopulation } from "../../../../core/volumes/populator/carry_out_population.ts";
import {
  type Restore,
  type RestoreStatus,
  restoreResource,
} from "../../../../kinds/kopiur/generated/restore.ts";
import { done, type Outcome, requeueAfter } from "../../../../kube/controller/controller.ts";
import { Failure } from "../../../../kube/controller/failure.ts";
import { explain } from "../../act.ts";
import type { Intent } from "../../decision.ts";
import type { KopiurPorts } from "../../ports.ts";
import { standingOn } from "../../verdicts.ts";
import { writeFitted } from "../../write_fitted.ts";
import type { PopulationsDecision } from "./decide_populations.ts";

/**
 * Carries out what was decided for the claims that name a Restore. One that fails keeps none of the others waiting. What
 * could not be done before may be tried again at any change; it is told once, or telling it would be such a change.
 */
export async function actOnPopulations(
  ports: KopiurPorts,
  restore: Restore | undefined,
  { status, events, claims, wakeAt }: PopulationsDecision,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, clock } = ports;
  const told = restore && ports.told?.echo(restore);
  const wanted = restore && status && (told ? withConditionsOf(restore, status, clock.now()) : status);
  const change = wanted && { resource: restoreResource, object: restore, status: wanted };
  const present = change ? await writeFitted(client, change, { signal }) : restore;
  if (restore && !told) for (const note of events) ports.events.event(restore, note);
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
      if (told?.reason === failure.reason) ports.told?.remember(present, failure);
      else await explain(ports, { resource: restoreResource, object: present }, failure, signal);
    }
    throw failure ?? errors[0];
  }
  // What was told is over.
  if (told && present && status)
    await writeFitted(client, { resource: restoreResource, object: present, status }, { signal });
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** The status, in which the Restore stands as it was told to. */
function withConditionsOf(restore: Restore, status: RestoreStatus, now: number): RestoreStatus {
  return { ...status, conditions: standingOn(restore, status.conditions ?? [], now) };
}

async function carryOut({ client, tasks }: KopiurPorts, intent: Intent, signal: AbortSignal): Promise<void> {
  if (intent.type === "Run") await tasks.carryOut(intent.decision, { signal });
  if (intent.type === "Populate") await carryOutPopulation(client, intent.intents, { signal });
}
