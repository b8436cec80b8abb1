import type { Tasks } from "../../core/work/tasks.ts";
import type { Client } from "../../kube/client.ts";
import type { ControllerOptions } from "../../kube/controller/controller.ts";
import type { EventRecorder } from "../../kube/write/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";
import type { KopiurCaches } from "./caches.ts";
import type { KopiurSettings } from "./settings.ts";

/** What every controller of this API is handed. */
export interface KopiurPorts extends Pick<ControllerOptions, "observer" | "isLeader"> {
  readonly client: Client;
  readonly events: Pick<EventRecorder, "event">;
  readonly tasks: Tasks;
  readonly caches: KopiurCaches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: KopiurSettings;
}

/** What a controller takes from the ports. */
export function controllerPorts(ports: KopiurPorts): Omit<ControllerOptions, "name" | "reconcile"> {
  const { clock, random, log, observer, isLeader } = ports;
  return { clock, random, log, ...(observer ? { observer } : {}), ...(isLeader ? { isLeader } : {}) };
}
