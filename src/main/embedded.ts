import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { destination } from "pino";
import { kubeconfigOf, openAccess, writePrivate } from "../embedded/access.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { serveHttps } from "../embedded/https_front.ts";
import { MachineNode } from "../embedded/node/node.ts";
import { openSqliteStore } from "../embedded/store/sqlite_store.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { Manager } from "../kube/controller/manager.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { listen } from "../lib/https_server.ts";
import { systemProcessGroups as groups } from "../lib/process_groups.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { pinoLogger } from "../observe/pino_logger.ts";

/* The control plane for one machine: `npm start`. */

const PORT = 18443;

const { values: args } = parseArgs({
  options: {
    once: { type: "boolean", default: false },
    demo: { type: "boolean", default: true },
    port: { type: "string", default: String(PORT) },
  },
  allowNegative: true,
});
const started = clock.monotonic();
const say = (text: string) => process.stdout.write(`${text}\n`);

const home =
  process.env.HOLDFAST_HOME ??
  join(process.env.XDG_DATA_HOME ?? join(homedir(), ".local", "share"), "holdfast");
mkdirSync(home, { recursive: true, mode: 0o700 });
const logFile = join(home, "holdfast.log");
const log = pinoLogger({ destination: destination({ dest: logFile, sync: true }) });

async function main(): Promise<void> {
  const store = openSqliteStore({ folder: join(home, "state"), clock });
  const access = openAccess({ folder: join(home, "keys"), clock, random });
  const plane = new ControlPlane({
    store,
    clock,
    random,
    log,
    podLogs: { read: (...request) => node.logs.read(...request) },
    webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
  });
  const client = new HttpClient({ sender: plane.sender, clock, random, userAgent: "holdfast-node" });
  const node = new MachineNode({
    client,
    clock,
    random,
    log,
    processes,
    groups,
    state: join(home, "node"),
    hidden: [home],
    // The programs of this machine itself; images of other makers cannot run here.
    images: (name) => (/(^|\/)holdfast\/host(:|$)/.test(name) ? { command: ["sh"] } : undefined),
    isRoot: process.getuid?.() === 0,
  });

  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort(new Error(signal)));
  }
  const manager = new Manager({ clock, log })
    .add("servers", {
      name: "api server",
      async run(signal, ready) {
        const options = { listen, tls: () => access.tls, token: access.token, handle: plane.handle, log };
        const server = await serveHttps({ ...options, port: Number(args.port) }).catch((error) => {
          if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || args.port !== String(PORT))
            throw error;
          return serveHttps(options);
        });
        const url = `https://127.0.0.1:${server.port}`;
        writePrivate(join(home, "kubeconfig"), kubeconfigOf(access, url));
        ready();
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        await server.close(AbortSignal.abort());
      },
    })
    .add("caches", node, {
      name: "controllers",
      async run(signal, ready) {
        ready();
        await plane.run(signal);
      },
    })
    .add("elected", {
      name: "greeting",
      async run(signal, ready) {
        greet();
        ready();
        if (args.once) stop.abort(new Error("--once"));
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      },
    });
  try {
    await manager.run(stop.signal);
  } finally {
    store.close();
  }
}

function greet(): void {
  const took = ((clock.monotonic() - started) / 1000).toFixed(2);
  say(`Holdfast's control plane is ready after ${took} s. Its state is in ${home}.

  export KUBECONFIG=${join(home, "kubeconfig")}
  kubectl get nodes,storageclasses,namespaces

Stop it with Ctrl-C; the state stays. What it does is written to ${logFile}.`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
