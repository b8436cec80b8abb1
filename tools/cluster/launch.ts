import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { identify, type ProcessIdentity, processState } from "../../src/lib/process_identity.ts";
import { tailOf } from "./log_tail.ts";
import { SEARCH_PATH } from "./programs.ts";

/** In the environment of every process of a cluster, with the cluster's folder as value: so `down` finds them all. */
export const MARK = "HOLDFAST_CLUSTER";

/** A program could not be started. */
export class LaunchFailed extends Error {
  override name = "LaunchFailed";
}

export interface LaunchOptions {
  readonly command: readonly string[];
  /** Its output is appended here. */
  readonly log: string;
  /** The cluster's folder. */
  readonly directory: string;
  /** Start it in the namespaces of this process. */
  readonly inside?: ProcessIdentity | undefined;
  /** The command is one that starts the program as its child, and is not needed after that. */
  readonly forks?: boolean;
}

/**
 * Starts a program that outlives this one. It gets none of the caller's environment: a proxy setting there
 * would send the API server's calls of webhooks elsewhere.
 */
export async function launch(options: LaunchOptions): Promise<ProcessIdentity> {
  const { command, log, directory, inside, forks = inside !== undefined } = options;
  if (inside && processState(inside) === "dead") {
    throw new LaunchFailed(
      `${command[0]} did not start: the node that it belongs to has ended; run up again`,
    );
  }
  const [program = "", ...args] = inside
    ? ["nsenter", "--target", `${inside.pid}`, "--net", "--mount", "--pid", "--", ...command]
    : command;
  const output = openSync(log, "a", 0o600);
  try {
    const child = spawn(program, args, {
      detached: true,
      cwd: "/",
      stdio: ["ignore", output, output],
      env: { PATH: SEARCH_PATH, HOME: directory, [MARK]: directory },
    });
    await once(child, "spawn");
    child.unref();
    const identity = forks ? await onlyChild(child.pid ?? 0) : identify(child.pid ?? 0);
    if (forks) child.kill("SIGKILL");
    if (!identity) throw new Error(tailOf(log));
    return identity;
  } catch (cause) {
    throw new LaunchFailed(`${command[0]} did not start: ${cause}`, { cause });
  } finally {
    closeSync(output);
  }
}

/** The process that `parent` forks; undefined when it ends without one. */
async function onlyChild(parent: number): Promise<ProcessIdentity | undefined> {
  while (identify(parent)) {
    const child = childrenOf(parent)[0];
    const identity = child === undefined ? undefined : identify(child);
    if (identity) return identity;
    await pause(5);
  }
  return undefined;
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children === "" ? [] : children.split(" ").map(Number);
  } catch {
    return [];
  }
}
