import { Informers } from "../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../src/kube/client/http_client.ts";
import { connect } from "../../../src/kube/config/connect.ts";
import { fenced } from "../../../src/kube/controller/fenced.ts";
import { LeaderElector } from "../../../src/kube/controller/leader.ts";
import { Manager } from "../../../src/kube/controller/manager.ts";
import { type Clock, sleep, systemClock } from "../../../src/lib/clock.ts";
import { systemProcesses } from "../../../src/lib/processes.ts";
import { systemRandom as random } from "../../../src/lib/random.ts";
import { messageOf } from "../../../src/lib/result.ts";
import { silentLogger } from "../../../src/observe/log.ts";
import { noWatchObserver } from "../../../src/observe/observers.ts";
import { Mirror } from "./mirror.ts";

/** Settings of the sample program, as JSON in its first argument. */
export interface MirrorSettings {
  readonly kubeconfig: string;
  readonly identity: string;
  readonly source: string;
  readonly target: string;
  /** How long each reconcile takes at least, in milliseconds. */
  readonly work: number;
  /** Silence after which a watch counts as dead, in milliseconds. */
  readonly idleTimeout: number;
  readonly leaseDuration: number;
}

/** What the program prints, one JSON object a line. Times are the machine's monotonic clock, in milliseconds. */
export type MirrorLine =
  | { readonly event: "leading" }
  | { readonly event: "begin" | "end"; readonly key: string; readonly at: number }
  | {
      readonly event: "cache";
      readonly sources: Record<string, string>;
      readonly targets: Record<string, string>;
    }
  | { readonly event: "relisted"; readonly reason: string }
  /** A request was answered 429. */
  | { readonly event: "refused" }
  | { readonly event: "log"; readonly message: string; readonly fields: unknown }
  | { readonly event: "stopped"; readonly error: string | null };

const settings = JSON.parse(process.argv[2] ?? "") as MirrorSettings;
const say = (line: MirrorLine) => process.stdout.write(`${JSON.stringify(line)}\n`);
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

// A wall clock that a test may set: every SIGUSR1 moves it by nine hours, back and forth.
let offset = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + offset };
process.on("SIGUSR1", () => {
  offset = offset === 0 ? 9 * 3_600_000 : -offset;
});

const log = {
  ...silentLogger,
  warn: (fields: unknown, message: string) => say({ event: "log", message, fields }),
  error: (fields: unknown, message: string) => say({ event: "log", message, fields }),
  child: () => log,
};

const { kubeconfig, identity, source, target, leaseDuration, idleTimeout } = settings;
const { sender } = await connect({ clock, processes: systemProcesses, env: process.env, kubeconfig });
const client = new HttpClient({
  sender,
  clock,
  random,
  timeout: 10_000,
  observer: { request: ({ code }) => void (code === 429 && say({ event: "refused" })) },
});
const elector = new LeaderElector({
  client,
  clock,
  random,
  log,
  identity,
  lease: { namespace: target, name: "mirror" },
  leaseDuration,
  renewDeadline: leaseDuration * 0.6,
  retryPeriod: leaseDuration / 10,
});
const observer = {
  ...noWatchObserver,
  relisted: (_: string, reason: string) => say({ event: "relisted", reason }),
};
const informers = new Informers({ client, clock, random, log, observer, idleTimeout });
const mirror = new Mirror({
  informers,
  client: fenced(client, () => elector.isLeader()),
  isLeader: () => elector.isLeader(),
  clock,
  random,
  log,
  source,
  target,
  fieldManager: identity,
  concurrency: 4,
  around: async (key, work) => {
    say({ event: "begin", key, at: now() });
    try {
      await sleep(clock, settings.work);
      await work();
    } finally {
      say({ event: "end", key, at: now() });
    }
  },
});

process.on("SIGUSR2", () => {
  const versions = (cache: Mirror["sources"]) =>
    Object.fromEntries([...cache.values()].map((o) => [o.metadata.name, o.metadata.resourceVersion]));
  say({ event: "cache", sources: versions(mirror.sources), targets: versions(mirror.targets) });
});

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort(new Error("SIGTERM")));
const manager = new Manager({ clock, log })
  .add("caches", informers)
  .add("leader", {
    name: elector.name,
    run: (signal, ready) =>
      elector.run(signal, () => {
        say({ event: "leading" });
        ready();
      }),
  })
  .add("elected", mirror);
const error = await manager.run(stop.signal).then(
  () => null,
  (reason: unknown) => messageOf(reason),
);
say({ event: "stopped", error });
sender.close();
process.exitCode = error === null ? 0 : 1;
