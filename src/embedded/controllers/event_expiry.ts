import { isNotFound } from "../../kube/api_error.ts";
import { Events } from "../../kube/builtin.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import type { Stored } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

/** As an API server's --event-ttl, in milliseconds. */
export const EVENT_TTL = 3_600_000;

const EVENTS = resourceName(Events);

/** Events go an hour after they were last written. */
export function eventExpiry(ports: ControllerPorts): Runnable {
  const { store } = ports;
  const keyOf = ({ metadata }: Stored) => `${metadata.namespace} ${metadata.name}`;
  return storeController(ports, {
    name: "event expiry",
    initial: () => store.list(EVENTS).objects.map(keyOf),
    keysOf: ({ key, type, object }) => (key.resource === EVENTS && type === "ADDED" ? [keyOf(object)] : []),
    reconcile: (key, signal) => reconcile(ports, key, signal),
  });
}

async function reconcile(
  { store, client, clock }: ControllerPorts,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const [namespace = "", name = ""] = key.split(" ");
  const event = store.get({ resource: EVENTS, namespace, name });
  if (!event) return done;
  const left = expiresAt(event) - clock.now();
  // A clock that was set back must not keep it for longer than that.
  if (left > 0) return requeueAfter(Math.min(left, EVENT_TTL));
  await client.delete(Events, { namespace, name }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return done;
}

/** When an Event is over. */
export function expiresAt(event: Stored): number {
  const { lastTimestamp } = event as { readonly lastTimestamp?: unknown };
  const written = typeof lastTimestamp === "string" ? lastTimestamp : event.metadata.creationTimestamp;
  const at = Date.parse(written ?? "");
  return (Number.isNaN(at) ? 0 : at) + EVENT_TTL;
}
