import { setFlagsFromString } from "node:v8";
import { aborted } from "../lib/aborted.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemRandom as random } from "../lib/random.ts";
import { systemStreamedProcesses as processes, type StreamedProcesses } from "../lib/streamed_process.ts";
import { engineMaker } from "../mover/engine_maker.ts";
import { runMover } from "../mover/mover.ts";
import { overheard } from "../mover/overheard.ts";
import { wantsDebug } from "../mover/pod_volume_command.ts";
import { restoreWait } from "../mover/restore_wait.ts";
import { answered } from "../mover/session/answered.ts";
import type { Listen } from "../mover/session/listening.ts";
import { giveStartSignal } from "../mover/start_signal.ts";
import { HOOK_REQUEST } from "../wire/hook_request.ts";
import { START_ARGUMENT } from "../wire/pod_layout.ts";
import { NODE_AGENT_ARGUMENT, RESTORE_WAIT_ARGUMENT } from "../wire/pod_volume_args.ts";

/* The program in a mover's pod: it does the work of one work spec, reports, and ends. */

// It mostly waits for the engine, which shares the pod's memory with it.
setFlagsFromString("--optimize-for-size");

const { env } = process;
const args = process.argv.slice(2);
const stop = new AbortController();
// Also a second one: without a listener it would end the process before the engine has cleaned up.
for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop.abort(new Error(name)));

// When nobody reads the report any more, the work goes on: its result is in the termination message.
process.stdout.on("error", () => {});

/** Loads HTTP and TLS with the first session only. */
const listen: Listen = async ({ port, ca, cert, key }, onRequest) => {
  const { listen } = await import("../lib/https_server.ts");
  const server = await listen({
    port,
    tls: () => ({ cert, key }),
    clientAuthority: ca,
    handler: (request) => answered(request.signal, (send) => onRequest(request, send)),
    limits: { connections: 32, body: 0 },
  });
  return { close: () => server.close(AbortSignal.abort()) };
};

const report = (line: string) => void process.stdout.write(line);

/** A pod that sends the request of a hook has nothing else to do. */
async function answerHook(): Promise<number> {
  const [{ sendHook }, { sendGuarded }] = await Promise.all([
    import("../mover/hook/send_hook.ts"),
    import("../lib/guarded_request.ts"),
  ]);
  return sendHook({ env, clock, send: sendGuarded, write: report, signal: stop.signal });
}

/** At the level debug the log also has what the engine says. */
function engineProcesses(): StreamedProcesses {
  if (env.HOLDFAST_LOG_LEVEL !== "debug" && !wantsDebug(args)) return processes;
  return overheard(processes, (message) =>
    report(`${JSON.stringify({ log: { level: "debug", message } })}\n`),
  );
}

function work(): Promise<number> {
  return runMover({
    env,
    clock,
    makeEngine: engineMaker({ env, processes: engineProcesses(), clock, random }),
    write: report,
    signal: stop.signal,
    listen,
    args,
  });
}

/** Beside the mover of the same pod, which is prepared and waits for it. */
async function start(): Promise<number> {
  return giveStartSignal(env, (line) => void process.stderr.write(line));
}

/** Stands on a node until it is told to end. */
function stand(): Promise<number> {
  const pulse = setInterval(() => {}, 2 ** 30);
  return aborted(stop.signal).then(() => {
    clearInterval(pulse);
    return 0;
  });
}

function duty(): Promise<number> {
  if (args[0] === START_ARGUMENT) return start();
  if (args[0] === NODE_AGENT_ARGUMENT) return stand();
  if (args[0] === RESTORE_WAIT_ARGUMENT)
    return restoreWait({ folder: "/restores", uid: args[1], clock, signal: stop.signal, say: report });
  return env[HOOK_REQUEST] === undefined ? work() : answerHook();
}

process.exit(await duty());
