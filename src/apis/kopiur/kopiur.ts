import { leftoverSweep } from "../../core/volumes/staging/leftover_sweep.ts";
import { lendSecrets } from "../../core/work/lend_secrets.ts";
import { MoverAccounts } from "../../core/work/mover_accounts.ts";
import { Pools } from "../../core/work/queue/pools.ts";
import { runCaches } from "../../core/work/run_caches.ts";
import { runEnds } from "../../core/work/run_ends.ts";
import { SessionRuns, type SessionRunsOptions } from "../../core/work/session/session_runs.ts";
import { Sessions } from "../../core/work/session/sessions.ts";
import { Tasks } from "../../core/work/tasks.ts";
import { Hooks } from "../../core/workloads/hooks/hooks.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { Runnable } from "../../kube/controller/runnable.ts";
import { EventRecorder } from "../../kube/write/events.ts";
import { aborted } from "../../lib/aborted.ts";
import { cachedLookup } from "./admission/cached_lookup.ts";
import { backupController } from "./backup/backup_controller.ts";
import { backupTruth } from "./backup/backup_truth.ts";
import { DeletionGuard } from "./backup/deletion_guard.ts";
import { watchSnapshots } from "./backup/watch_snapshots.ts";
import { kopiurCaches } from "./caches.ts";
import { catalogController } from "./catalog/catalog_controller.ts";
import { configController } from "./config/config_controller.ts";
import { maintenanceControllers } from "./maintenance/maintenance_controller.ts";
import type { KopiurPorts } from "./ports.ts";
import { clusterRepositoryController, repositoryController } from "./repository/repository_controller.ts";
import { registerPopulator } from "./restore/populate/register_populator.ts";
import { restoreController } from "./restore/restore_controller.ts";
import { retentionController } from "./retention/retention_controller.ts";
import { scheduleControllers } from "./schedule/schedule_controller.ts";
import { operatorNamespaceOf } from "./settings.ts";
import { ToldFailures } from "./told_failures.ts";

export interface KopiurOptions
  extends Omit<
    KopiurPorts,
    "tasks" | "hooks" | "deletionGuard" | "told" | "sessions" | "pools" | "caches" | "lookup" | "events"
  > {
  readonly informers: Pick<Informers, "cache">;
  /** The logs of pods, and commands in them. */
  readonly logs: Pick<PodClient, "logs" | "exec">;
  /** Opens connections to movers that answer questions. */
  readonly connect: SessionRunsOptions["connect"];
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
  /** Which replica speaks in events, such as the pod's name. */
  readonly instance?: string;
}

const OWN_ACCOUNT = { type: "own", pullSecrets: [] } as const;

/** The controllers of this API, for a process that leads. Their caches are asked for here, and run by the informers. */
export function kopiurControllers(options: KopiurOptions): readonly Runnable[] {
  const { client, clock, random, log, informers, logs, namespace, instance } = options;
  const recorder = { writer: client, clock, random, log, component: "kopiur" };
  const lend = options.settings.lendSecrets ? { lend: lendSecrets(client) } : {};
  const runs = runCaches(informers, namespace);
  const { moverAccount: account = OWN_ACCOUNT } = options.settings;
  const accounts = new MoverAccounts({ client, clock, log, account });
  const tasks = new Tasks({ client, logs, caches: runs, clock, random, log, accounts, ...lend });
  const hooks = new Hooks({ client, pods: logs, clock, accounts });
  const home = operatorNamespaceOf(options.settings);
  const pools = new Pools({ caches: runs, clock, home, ...maxRunsOf(options.settings) });
  const { connect } = options;
  const runner = new SessionRuns({ client, logs, caches: runs, clock, random, log, connect, accounts });
  const sessions = new Sessions({ runner, clock, log });
  const caches = kopiurCaches(informers, namespace);
  const ports: KopiurPorts = {
    ...options,
    tasks,
    hooks,
    sessions,
    pools,
    deletionGuard: new DeletionGuard({ caches, clock }),
    told: new ToldFailures(clock),
    caches,
    lookup: cachedLookup(caches, namespace),
    events: new EventRecorder({ ...recorder, ...(instance ? { instance } : {}) }),
  };
  const backups = backupController(ports);
  return [
    following(tasks, hooks, pools, ...(options.tally ? [runEnds(runs, options.tally)] : [])),
    sessions,
    repositoryController(ports),
    ...(ports.caches.clusterRepositories
      ? [clusterRepositoryController(ports, ports.caches.clusterRepositories)]
      : []),
    catalogController(ports),
    configController(ports),
    backups,
    watchSnapshots({ client, informers, namespace, log }, backups),
    leftoverSweep({
      client,
      clock,
      log,
      namespace,
      truthOf: (owner, signal) => backupTruth(client, owner, signal),
    }),
    restoreController(ports),
    ...(namespace === undefined ? [registerPopulator({ client, log })] : []),
    ...maintenanceControllers(ports),
    ...scheduleControllers(ports),
    retentionController(ports),
  ];
}

function maxRunsOf({ maxRuns }: KopiurOptions["settings"]): { readonly maxRuns?: number } {
  return maxRuns === undefined ? {} : { maxRuns };
}

/** What is followed of movers is let go with the program, and with each mover. */
function following(...parts: readonly { start(): () => void }[]): Runnable {
  return {
    name: "kopiur-runs",
    async run(signal, ready) {
      const ends = parts.map((part) => part.start());
      ready();
      await aborted(signal);
      for (const end of ends) end();
    },
  };
}
