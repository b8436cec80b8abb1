// The first thing a newcomer runs: it needs Node 20 and npm, and sees to the rest.
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { commands } from "./commands.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { Interrupted, LaunchError } from "./errors.mjs";
import { cacheFolder, projectFolder } from "./folders.mjs";
import { handOver } from "./hand_over.mjs";
import { ensureNode } from "./node.mjs";
import { ensurePackages } from "./packages.mjs";
import { readPinnedPrograms } from "./pinned_programs.mjs";
import { ensurePrograms } from "./programs.mjs";
import { createProgress } from "./progress.mjs";

/**
 * Provides all that a command needs.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {AbortSignal} signal
 * @returns {Promise<{ node: string, args: string[], env: NodeJS.ProcessEnv }>} what to start
 */
async function prepare(name, args, signal) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new LaunchError(usage(name));
  const cache = cacheFolder(process.env);
  const progress = createProgress();
  const wanted = (await readFile(join(projectFolder, ".node-version"), "utf8")).trim();
  const node = await ensureNode(wanted, { cache, env: process.env, progress, signal });
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    HOLDFAST_CACHE: cache,
  };
  await ensureDependencies(projectFolder, { cache, env, progress, signal });
  const paths = command.needs ? await ensureNeeds(command.needs(args), { cache, env, progress, signal }) : {};
  return {
    node,
    args: [...command.run, ...args],
    env: { ...env, ...command.env?.(cache), HOLDFAST_PROGRAMS: JSON.stringify(paths) },
  };
}

/**
 * @param {import("./commands.mjs").Needs} needs
 * @param {import("./programs.mjs").Surroundings} surroundings
 */
async function ensureNeeds({ packages, programs }, surroundings) {
  await ensurePackages(packages, surroundings);
  const pinned = await readPinnedPrograms(join(projectFolder, "tools/programs"));
  return ensurePrograms(
    programs.flatMap((name) => pinned.get(name) ?? []),
    surroundings,
  );
}

/** @param {string} name */
function usage(name) {
  const width = Math.max(...Object.keys(commands).map((known) => known.length));
  const lines = Object.entries(commands).map(
    ([known, { summary }]) => `  ${known.padEnd(width)}  ${summary}`,
  );
  return [name ? `There is no command "${name}". The commands are:` : "The commands are:", ...lines].join(
    "\n",
  );
}

/**
 * Runs `work` so that SIGINT, SIGTERM and SIGHUP abort it instead of ending the process with things half done.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function interruptibly(work) {
  const controller = new AbortController();
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => controller.abort(new Interrupted(signal));
  /** @type {readonly NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/**
 * Ends this process as the signal itself would have.
 * @param {NodeJS.Signals} signal
 */
function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

try {
  const [name = "", ...args] = process.argv.slice(2);
  const start = await interruptibly((signal) => prepare(name, args, signal));
  const end = await handOver(start.node, start.args, { cwd: projectFolder, env: start.env });
  if ("signal" in end) endBy(end.signal);
  else process.exitCode = end.code;
} catch (error) {
  if (error instanceof Interrupted) endBy(error.signal);
  else {
    console.error(error instanceof LaunchError ? error.message : error);
    process.exitCode = 1;
  }
}
