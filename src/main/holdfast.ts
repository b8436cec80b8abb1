#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import manifest from "../../package.json" with { type: "json" };
import { COMMANDS } from "../cli/commands.ts";
import type { Cluster } from "../cli/frame/command.ts";
import type { Given } from "../cli/frame/given.ts";
import { lostOutput } from "../cli/frame/lost_output.ts";
import { runCli } from "../cli/frame/run_cli.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemRandom as random } from "../lib/random.ts";
import { CLI_PORTS } from "./cli_ports.ts";

/* The command line: `holdfast`, and as `kubectl-holdfast` a plugin of kubectl. */

// What is loaded from here on is compiled once, and not with each start.
enableCompileCache();

const { env, stdin, stdout, stderr } = process;
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error(name)));
stdout.on("error", (error) => {
  if (stop.signal.aborted) return;
  const { code, text } = lostOutput(error);
  if (text) stderr.write(text);
  process.exitCode ||= code;
  // The command ends as with Ctrl-C, and takes away what it made.
  stop.abort(error);
});
// Nobody can be told.
stderr.on("error", () => {});

async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const { askLine } = await import("./ask_line.ts");
  const interrupt = () => stop.abort(new Error("SIGINT"));
  return askLine(question, { input: stdin, output: stderr, signal, interrupt });
}

/** Best effort: the address is printed as well. */
async function showPage(address: string, done: AbortSignal): Promise<void> {
  const mac = process.platform === "darwin";
  // Without a desktop it would open in the terminal.
  if (!mac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  const { systemProcesses: processes } = await import("../lib/processes.ts");
  const { openPage } = await import("./open_page.ts");
  await openPage(address, { processes, opener: mac ? "open" : "xdg-open", signal: stop.signal, done });
}

async function connect(given: Given): Promise<Cluster & Disposable> {
  const { cliCluster } = await import("./cli_cluster.ts");
  return cliCluster({ env, kubeconfig: given.text("kubeconfig"), context: given.text("context") });
}

const code = await runCli({
  argv: process.argv.slice(2),
  commands: COMMANDS,
  terminal: { out: stdout, err: stderr, ...(stdin.isTTY ? { ask } : {}) },
  clock,
  random,
  signal: stop.signal,
  env,
  version: manifest.version,
  connect,
  ...CLI_PORTS,
  openPage: showPage,
});
process.exitCode ??= code;
