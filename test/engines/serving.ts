import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";

export interface Serving {
  /** The address that it listens on. Default 127.0.0.1. */
  readonly host?: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a server and waits until it takes connections. */
export async function served(
  program: string,
  args: readonly string[],
  { host, port, env }: Serving,
): Promise<ChildProcess> {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  try {
    await listening(child, port, host);
    return child;
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Waits until a server takes connections. */
export async function listening(child: ChildProcess, port: number, host = "127.0.0.1"): Promise<void> {
  let said = "";
  for (const output of [child.stdout, child.stderr]) {
    output?.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-2000);
    });
  }
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended: ${said}`);
    if (await answers(port, host)) return;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error(`${child.spawnfile} does not listen on ${port}: ${said}`);
}

function answers(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
}
