import type { Client } from "../../kube/client.ts";
import type { ControllerOptions } from "../../kube/controller/controller.ts";
import type { EventRecorder } from "../../kube/write/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";
import type { StoresIn } from "../volumes/stores.ts";
import type { RepositoryQueues } from "../work/queue/repository_queues.ts";
import type { Sessions } from "../work/session/sessions.ts";
import type { Settings } from "../work/settings.ts";
import type { Tasks } from "../work/tasks.ts";
import type { Hooks } from "../workloads/hooks/hooks.ts";
import type { ReportedFailures } from "./reported_failures.ts";

/** What every controller of every API is handed: there is exactly one of each in a process. */
export interface EngineRoom extends Pick<ControllerOptions, "observer" | "isLeader"> {
  readonly client: Client;
  /** For very many writes at once that nobody waits for, which must not hold others up. Default: as `client`. */
  readonly bulk?: Client;
  readonly events: Pick<EventRecorder, "event">;
  readonly tasks: Tasks;
  readonly hooks: Hooks;
  /** Questions to repositories. */
  readonly sessions: Pick<Sessions, "open">;
  /** The PVCs that hold a repository of any API: nothing is restored into these. */
  readonly storesIn: StoresIn;
  /** Who may work on which repository. */
  readonly queues: RepositoryQueues;
  /** Failures that have just been written into objects. Default: nobody remembers them. */
  readonly reported?: ReportedFailures;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: Settings;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
}

/** What a controller takes from the room. */
export function controllerPorts(room: EngineRoom): Omit<ControllerOptions, "name" | "reconcile"> {
  const { clock, random, log, observer, isLeader } = room;
  return { clock, random, log, ...(observer ? { observer } : {}), ...(isLeader ? { isLeader } : {}) };
}
