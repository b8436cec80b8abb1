import type { Informers } from "../kube/cache/informers.ts";
import type { PodClient } from "../kube/client/pod_client.ts";
import type { Runnable } from "../kube/runnable.ts";
import { EventRecorder } from "../kube/write/events.ts";
import { aborted } from "../lib/aborted.ts";
import type { RunEndObserver } from "../observe/observers.ts";
import type { EngineRoom } from "./reconcile/engine_room.ts";
import { ReportedFailures } from "./reconcile/reported_failures.ts";
import { lendSecrets } from "./work/lend_secrets.ts";
import { MoverAccounts } from "./work/mover_accounts.ts";
import { RepositoryQueues } from "./work/queue/repository_queues.ts";
import { runCaches } from "./work/run_caches.ts";
import { runEnds } from "./work/run_ends.ts";
import type { AllowedUses } from "./work/run_uses.ts";
import { SessionRuns, type SessionRunsOptions } from "./work/session/session_runs.ts";
import { Sessions } from "./work/session/sessions.ts";
import { operatorNamespaceOf } from "./work/settings.ts";
import { Tasks } from "./work/tasks.ts";
import { Hooks } from "./workloads/hooks/hooks.ts";

export interface EngineRoomOptions
  extends Omit<EngineRoom, "events" | "tasks" | "hooks" | "sessions" | "queues" | "reported"> {
  readonly informers: Pick<Informers, "cache">;
  /** The logs of pods, and commands in them. */
  readonly logs: Pick<PodClient, "logs" | "exec">;
  /** Opens connections to movers that answer questions. */
  readonly connect: SessionRunsOptions["connect"];
  /** Which replica speaks in events, such as the pod's name. */
  readonly instance?: string;
  /** Is told how runs end. Default: nobody is. */
  readonly runs?: RunEndObserver;
  /** Which APIs have runs that use more than the rest. Default: none. */
  readonly uses?: AllowedUses;
}

/** Makes the engine room, and what has to run for it before any controller does. */
export function engineRoom(options: EngineRoomOptions): {
  readonly room: EngineRoom;
  readonly runnables: readonly Runnable[];
} {
  const { informers, logs, connect, instance, runs: observer, uses, ...ports } = options;
  const { client, clock, random, log, namespace, settings } = ports;
  const { maxRuns, moverAccount: account = OWN_ACCOUNT } = settings;
  const caches = runCaches(informers, namespace);
  const accounts = new MoverAccounts({ client, clock, log, account });
  const lend = settings.lendSecrets ? { lend: lendSecrets(client) } : {};
  const tasks = new Tasks({ client, logs, caches, clock, random, log, accounts, uses, ...lend });
  const hooks = new Hooks({ client, pods: logs, clock, accounts, lending: settings.lendSecrets });
  const home = operatorNamespaceOf(settings);
  const queues = new RepositoryQueues({ caches, clock, home, ...(maxRuns === undefined ? {} : { maxRuns }) });
  const runner = new SessionRuns({ client, logs, caches, clock, random, log, connect, accounts });
  const sessions = new Sessions({ runner, clock, log });
  const recorder = { writer: client, clock, random, log, component: "holdfast" };
  return {
    room: {
      ...ports,
      tasks,
      hooks,
      sessions,
      queues,
      reported: new ReportedFailures(clock),
      events: new EventRecorder({ ...recorder, ...(instance ? { instance } : {}) }),
    },
    runnables: [following(tasks, hooks, queues, ...(observer ? [runEnds(caches, observer)] : [])), sessions],
  };
}

const OWN_ACCOUNT = { type: "own", pullSecrets: [] } as const;

/** What is followed of movers is let go with the program, and with each mover. */
function following(...parts: readonly { start(): () => void }[]): Runnable {
  return {
    name: "runs",
    async run(signal, ready) {
      const ends = parts.map((part) => part.start());
      ready();
      await aborted(signal);
      for (const end of ends) end();
    },
  };
}
