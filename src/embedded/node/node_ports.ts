import type { Client } from "../../kube/client.ts";
import type { EventRecorder } from "../../kube/write/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";

/** What every part of the node is handed. */
export interface NodePorts {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly nodeName: string;
}
