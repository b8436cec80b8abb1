import { runCaches } from "../../core/work/run_caches.ts";
import { Tasks } from "../../core/work/tasks.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { Runnable } from "../../kube/controller/runnable.ts";
import { EventRecorder } from "../../kube/write/events.ts";
import { backupController } from "./backup/backup_controller.ts";
import { watchSnapshots } from "./backup/watch_snapshots.ts";
import { kopiurCaches } from "./caches.ts";
import { configController } from "./config/config_controller.ts";
import type { KopiurPorts } from "./ports.ts";
import { repositoryController } from "./repository/repository_controller.ts";
import { restoreController } from "./restore/restore_controller.ts";

export interface KopiurOptions extends Omit<KopiurPorts, "tasks" | "caches" | "events"> {
  readonly informers: Pick<Informers, "cache">;
  readonly logs: Pick<PodClient, "logs">;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
  /** Which replica speaks in events, such as the pod's name. */
  readonly instance?: string;
}

/** The controllers of this API, for a process that leads. Their caches are asked for here, and run by the informers. */
export function kopiurControllers(options: KopiurOptions): readonly Runnable[] {
  const { client, clock, random, log, informers, logs, namespace, instance } = options;
  const recorder = { writer: client, clock, random, log, component: "kopiur" };
  const tasks = new Tasks({ client, logs, caches: runCaches(informers, namespace), clock, random, log });
  const ports: KopiurPorts = {
    ...options,
    tasks,
    caches: kopiurCaches(informers, namespace),
    events: new EventRecorder({ ...recorder, ...(instance ? { instance } : {}) }),
  };
  const backups = backupController(ports);
  return [
    following(tasks),
    repositoryController(ports),
    configController(ports),
    backups,
    watchSnapshots({ client, informers, namespace, log }, backups),
    restoreController(ports),
  ];
}

/** What is followed of movers is let go with the program, and with each mover. */
function following(tasks: Tasks): Runnable {
  return {
    name: "kopiur-runs",
    async run(signal, ready) {
      const end = tasks.start();
      ready();
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      });
      end();
    },
  };
}
