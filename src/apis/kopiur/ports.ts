import type { Pools } from "../../core/work/queue/pools.ts";
import type { Sessions } from "../../core/work/session/sessions.ts";
import type { Tasks } from "../../core/work/tasks.ts";
import type { Hooks } from "../../core/workloads/hooks/hooks.ts";
import type { Client } from "../../kube/client.ts";
import type { ControllerOptions } from "../../kube/controller/controller.ts";
import type { EventRecorder } from "../../kube/write/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";
import type { Lookup } from "./admission/lookup.ts";
import type { DeletionGuard } from "./backup/deletion_guard.ts";
import type { KopiurCaches } from "./caches.ts";
import type { KopiurTally } from "./kopiur_counters.ts";
import type { KopiurSettings } from "./settings.ts";
import type { ToldFailures } from "./told_failures.ts";

/** What every controller of this API is handed. */
export interface KopiurPorts extends Pick<ControllerOptions, "observer" | "isLeader"> {
  readonly client: Client;
  /** For very many writes at once that nobody waits for, which must not hold others up. Default: as `client`. */
  readonly bulk?: Client;
  readonly events: Pick<EventRecorder, "event">;
  readonly tasks: Tasks;
  readonly hooks: Hooks;
  /** Questions to repositories. */
  readonly sessions: Pick<Sessions, "open">;
  /** Who may work on which repository. */
  readonly pools: Pools;
  readonly deletionGuard: DeletionGuard;
  /** Failures that objects have just been told of. Default: nobody remembers them. */
  readonly told?: ToldFailures;
  readonly caches: KopiurCaches;
  /** The same caches, as admission looks at them: its rules are run again. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Is told what is to be counted. Default: nobody counts. */
  readonly tally?: KopiurTally;
  readonly settings: KopiurSettings;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
}

/** What a controller takes from the ports. */
export function controllerPorts(ports: KopiurPorts): Omit<ControllerOptions, "name" | "reconcile"> {
  const { clock, random, log, observer, isLeader } = ports;
  return { clock, random, log, ...(observer ? { observer } : {}), ...(isLeader ? { isLeader } : {}) };
}
