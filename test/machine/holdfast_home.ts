import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly output: string[];
  readonly exit: Promise<number | null>;
}

/** A folder for `npm start`, the processes that were started on it, and clients of theirs. */
export class HoldfastHome implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-home-"));
  readonly #before: readonly string[];
  readonly #children: ChildProcess[] = [];
  readonly #senders: HttpSender[] = [];

  /** `before`: what the programs are started by, with the folder as its last argument. */
  constructor(before: readonly string[] = []) {
    this.#before = before.length > 0 ? [...before, this.folder] : [];
  }

  run(...args: string[]): RunningProgram {
    return this.runProgram("src/main/embedded.ts", args);
  }

  runProgram(
    program: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): RunningProgram {
    const env = { ...process.env, HOLDFAST_HOME: this.folder, ...more };
    const [command = "", ...rest] = [...this.#before, process.execPath, program, "--port=0", ...args];
    const child = spawn(command, rest, { env });
    this.#children.push(child);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (l) => output.push(l));
    const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, output, exit };
  }

  /** Starts it without the demonstration, and waits until it is ready. */
  async start(...args: string[]): Promise<RunningProgram> {
    const running = this.run("--no-demo", ...args);
    while (!running.output.some((line) => line.includes("is ready"))) {
      if (running.child.exitCode !== null) throw new Error(running.output.join("\n"));
      await pause(20);
    }
    return running;
  }

  /** A client by the kubeconfig that the program wrote. */
  async client(folder = this.folder): Promise<{ readonly client: HttpClient; readonly sender: HttpSender }> {
    const kubeconfig = join(folder, "kubeconfig");
    const { sender } = await connect({ clock, processes, env: {}, kubeconfig });
    this.#senders.push(sender);
    return { sender, client: new HttpClient({ sender, clock, random }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sender of this.#senders) sender.close();
    for (const child of this.#children) await ended(child, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a process, and waits for its end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await closed;
}
