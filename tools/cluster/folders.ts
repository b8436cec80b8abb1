import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A cluster's name becomes a folder and part of messages: short, lower case, digits and dashes. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;

/** Where all clusters keep their state: HOLDFAST_CLUSTERS, or below the user's state folder. */
export function clustersFolder(env: Env = process.env): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local/state");
  return resolve(env.HOLDFAST_CLUSTERS || join(state, "holdfast/clusters"));
}

/** The state folder of one cluster. Throws on a name that could not be one. */
export function clusterFolder(name: string, env: Env = process.env): string {
  if (!NAME.test(name)) {
    throw new TypeError(
      `${JSON.stringify(name)} is not a cluster name: use up to 32 lower-case letters, digits and dashes`,
    );
  }
  return join(clustersFolder(env), name);
}

/** Where programs and images are cached: HOLDFAST_CACHE, or below the user's cache folder. */
export function cacheFolder(env: Env = process.env): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  return resolve(env.HOLDFAST_CACHE || join(cache, "holdfast"));
}
