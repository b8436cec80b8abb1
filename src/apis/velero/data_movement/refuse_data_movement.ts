import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import type { DataMovement } from "../../../kinds/velero/data_movement.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { sleep } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/result.ts";
import { consents } from "../data_path/surroundings.ts";
import { isForeignWork } from "../foreign_agent.ts";
import type { VeleroPorts } from "../ports.ts";
import { writeTogether } from "../write_together.ts";
import { isBegun, refusedMovement } from "./refused_movement.ts";

/** How often it is looked whether the kind is served, and whether an agent of Velero's is gone. */
const LOOK_AGAIN = 60_000;

/** Refuses the objects of a kind once the cluster serves it: without a Velero server there is no such CRD. */
export function refuseDataMovement(
  ports: VeleroPorts,
  informers: Pick<Informers, "cache">,
  resource: Resource<DataMovement>,
): Runnable {
  const name = `velero-${resource.plural}`;
  return {
    name,
    async run(signal, ready, halt) {
      // Nothing waits for it: the kind may never come.
      ready();
      if (!(await becomesServed(ports, resource, signal))) return;
      await refusing(ports, informers, resource, name).run(signal, () => {}, halt);
    },
  };
}

/** Resolves to false when told to stop before. */
async function becomesServed(
  { client, clock, log }: VeleroPorts,
  resource: Resource,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      if (await client.serves(resource, { signal })) return true;
    } catch (error) {
      log.debug({ resource: resource.plural, error: messageOf(error) }, "cannot tell whether it is served");
    }
    await sleep(clock, LOOK_AGAIN, signal).catch(() => {});
  }
  return false;
}

function refusing(
  ports: VeleroPorts,
  informers: Pick<Informers, "cache">,
  resource: Resource<DataMovement>,
  name: string,
): Controller {
  const scope = ports.namespace === undefined ? {} : { namespace: ports.namespace };
  const cache = informers.cache({ resource, optional: true, ...scope });
  const reconcile = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const object = cache.get(key);
    if (!object || !consents(ports, object.metadata.namespace ?? "")) return done;
    const begun = isBegun(object);
    const orphaned = begun && !(await isForeignWork(ports.client, object, signal));
    const wanted = refusedMovement(object, ports.clock.now(), { orphaned });
    // Nothing tells that the agent which works on it is gone.
    if (!wanted) return begun ? requeueAfter(LOOK_AGAIN) : done;
    const written = await writeTogether(ports.client, resource, object, wanted, signal);
    if (!isFinal(object.status?.phase)) tell(ports, written);
    return done;
  };
  return new Controller({ ...controllerPorts(ports), name, reconcile }).watch(cache);
}

function tell({ events, log }: VeleroPorts, object: DataMovement): void {
  const { phase: reason = "", message = "" } = object.status ?? {};
  events.event(object, { type: "Warning", reason, message });
  log.warn({ kind: object.kind, key: keyOf(object), reason }, message);
}
