import { mkdirSync, realpathSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { LoopbackConsole } from "../cli/console/loopback_console.ts";
import { PLUMBER_DEMO_SETTINGS } from "../cli/demo/plumber_demo.ts";
import { Screen } from "../cli/screen.ts";
import { kubeconfigOf, openAccess, writePrivate } from "../embedded/access.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { renewDaily, serveHttps } from "../embedded/https_front.ts";
import { MachineNode } from "../embedded/node/node.ts";
import { probeIsolation } from "../embedded/node/pods/isolation.ts";
import { openSqliteStore } from "../embedded/store/sqlite_store.ts";
import { isAlreadyExists } from "../kube/api_error.ts";
import { Namespaces } from "../kube/builtin.ts";
import { Informers } from "../kube/cache/informers.ts";
import { actingAs } from "../kube/client/acting_as.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { PodClient } from "../kube/client/pod_client.ts";
import { Manager } from "../kube/controller/manager.ts";
import { aborted } from "../lib/aborted.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { HttpsSender, type HttpsSenderOptions } from "../lib/https_sender.ts";
import { listen } from "../lib/https_server.ts";
import { systemProcessGroups as groups } from "../lib/process_groups.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { systemStreamedProcesses as streamed } from "../lib/streamed_process.ts";
import { LogFile } from "../observe/log_file.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { pinoLogger } from "../observe/pino_logger.ts";
import { apiEndpoints } from "./api_endpoints.ts";
import { apiSettings } from "./api_settings.ts";
import { APIS } from "./apis.ts";
import { compose } from "./compose.ts";
import { embeddedAdmission, takeBackWebhooks } from "./embedded_admission.ts";
import { demonstrate } from "./embedded_demo.ts";
import { type EmbeddedOptions, embeddedOptions, PORT } from "./embedded_options.ts";
import { localImages } from "./local_images.ts";

/* Holdfast on one machine: the operator, and a control plane for it. `npm start`. */

const MOVER_IMAGE = "holdfast/mover:local";
/** Where the operator is at home, and whom webhooks know it as. */
const OPERATOR_NAMESPACE = "holdfast";
const OPERATOR = `system:serviceaccount:${OPERATOR_NAMESPACE}:holdfast-operator`;

const args = givenOptions();
const started = clock.monotonic();
const screen = new Screen(process.stdout);

const home =
  process.env.HOLDFAST_HOME ||
  join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "holdfast");
mkdirSync(home, { recursive: true, mode: 0o700 });
const logFile = join(home, "holdfast.log");
const log = pinoLogger({ destination: new LogFile({ path: logFile }) });

function givenOptions(): EmbeddedOptions {
  try {
    return embeddedOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return process.exit(2);
  }
}

async function main(): Promise<void> {
  const store = openSqliteStore({ folder: join(home, "state"), clock });
  const state = join(home, "node");
  const isRoot = process.getuid?.() === 0;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  // Other processes try it out, beside all else.
  const isolation = probeIsolation(processes, state, isRoot, log);
  const access = openAccess({ folder: join(home, "keys"), clock, random });
  const crds = (await Promise.all(APIS.map((api) => api.crds()))).flat();
  const plane = new ControlPlane({
    store,
    clock,
    random,
    log,
    podLogs: { read: (...request) => node.logs.read(...request) },
    podExec: { open: (...request) => node.exec.open(...request) },
    webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
    crds,
  });
  const client = new HttpClient({ sender: plane.sender, clock, random, userAgent: "holdfast-node" });
  const node = new MachineNode({
    client,
    clock,
    random,
    log,
    processes,
    groups,
    streamed,
    state,
    hidden: [home],
    images: localImages({
      node: process.execPath,
      mover: process.env.HOLDFAST_MOVER,
      engines: JSON.parse(process.env.HOLDFAST_PROGRAMS || "{}") as Record<string, string>,
    }),
    isRoot,
    isolation,
  });
  const acting = actingAs(plane.sender, OPERATOR);
  const { metricsPort } = args;
  // It costs memory and time to begin with, which only those pay who look.
  const metrics =
    metricsPort === undefined ? undefined : new (await import("./embedded_metrics.ts")).EmbeddedMetrics();
  const own = new HttpClient({
    sender: acting,
    clock,
    random,
    userAgent: "holdfast-operator",
    ...(metrics ? { observer: metrics.api } : {}),
  });
  const observer = metrics?.watch ?? noWatchObserver;
  const informers = new Informers({ client: own, clock, random, log, observer });
  const counters = metrics?.counters(informers);
  const pods = new PodClient({ sender: plane.sender, clock, random });
  const settings = {
    moverImage: MOVER_IMAGE,
    imagePullPolicy: "Never",
    operatorNamespace: OPERATOR_NAMESPACE,
    lendSecrets: true,
    ofApis: {
      ...(args.demoOf === "plumber" ? { plumber: PLUMBER_DEMO_SETTINGS } : {}),
      ...apiSettings(process.env),
    },
    podsFolder: join(realpathSync(state), "pods"),
    get guarded(): boolean {
      return webhooks.opened;
    },
  } as const;
  const webhooks = embeddedAdmission({
    apis: APIS,
    client: own,
    informers,
    clock,
    random,
    log,
    settings,
    operatorNamespace: OPERATOR_NAMESPACE,
    operator: async () => OPERATOR,
    ...(counters ? { observer: counters.admission, counters: counters.byApi } : {}),
  });
  const connect = (place: HttpsSenderOptions) => new HttpsSender(place);
  const operator = compose({
    apis: APIS,
    client: own,
    logs: pods,
    connect,
    informers,
    clock,
    random,
    log,
    settings,
    ...(counters ? { observer: counters.controller, runs: counters.runs, counters: counters.byApi } : {}),
  });

  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort(new Error(signal)));
  }
  const manager: Manager = new Manager({ clock, log })
    .add("servers", {
      name: "api server",
      async run(signal, ready) {
        const options = {
          listen,
          tls: () => access.tls,
          token: access.token,
          handle: plane.handle,
          connect: plane.connect,
          log,
        };
        const server = await serveHttps({ ...options, port: args.port }).catch((error) => {
          if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || args.port !== PORT) throw error;
          return serveHttps(options);
        });
        const url = `https://127.0.0.1:${server.port}`;
        writePrivate(join(home, "kubeconfig"), kubeconfigOf(access, url));
        ready();
        await renewDaily(server, { clock, log, signal });
        await server.close(AbortSignal.abort());
      },
    })
    .add("webhooks", {
      name: "controllers",
      async run(signal, ready) {
        ready();
        await plane.run(signal);
      },
    })
    .add("webhooks", webhooks)
    .add("caches", node, informers)
    .add("elected", ...operator, {
      name: "person",
      async run(signal, ready) {
        greet();
        await using console = await openConsole(signal);
        if (console) screen.line(`\nLook at it in a browser, once with this link: ${console.address}`);
        // Memory before speed, once it runs: with 10,000 objects a fifth less of the one, for a quarter more of the
        // processor.
        setFlagsFromString("--optimize-for-size");
        ready();
        // Node would keep its compiled code when the program ends; one that is killed has no time for that.
        flushCompileCache();
        const reach = { client, pods, signal, screen, moverImage: MOVER_IMAGE, logFile, of: args.demoOf };
        if (args.demo) await demonstrate(reach);
        if (args.once) stop.abort(new Error("--once"));
        await aborted(signal);
      },
    });
  if (metrics && metricsPort !== undefined) {
    const place = { port: metricsPort, log, informers, parts: operator, door: webhooks };
    const endpoints = apiEndpoints(APIS, { informers, settings, clock });
    manager.add("servers", metrics.server({ ...place, endpoints, manager: () => manager, holder: OPERATOR }));
  }
  try {
    await takeBackWebhooks(own);
    await own.create(Namespaces, { metadata: { name: OPERATOR_NAMESPACE } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    await manager.run(stop.signal);
  } finally {
    store.close();
  }
}

/** The console's page comes with `npm start`; without it the program does all else. */
async function openConsole(signal: AbortSignal): Promise<LoopbackConsole | undefined> {
  const page = process.env.HOLDFAST_CONSOLE;
  if (!page || args.once) return undefined;
  const { embeddedConsole } = await import("./embedded_console.ts");
  return embeddedConsole({ kubeconfig: join(home, "kubeconfig"), page, screen, log, signal });
}

function greet(): void {
  const took = ((clock.monotonic() - started) / 1000).toFixed(2);
  screen.line(`Holdfast is ready after ${took} s. Its state is in ${home}, its log in ${logFile}.

  export KUBECONFIG=${join(home, "kubeconfig")}
  kubectl get storageclasses,repositories.kopiur.home-operations.com,backups.kopiur.home-operations.com --all-namespaces
  npm run --silent holdfast -- status --all-namespaces

Stop it with Ctrl-C; the state stays.`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
// A pod that outlives the program, such as a session's, may hold a connection of it open.
process.exit();
