import { accessSync, constants } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Engine } from "../engines/engine.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { StreamedProcesses } from "../lib/streamed_process.ts";
import type { EngineName } from "../wire/capabilities.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** What one engine gets of the pod. */
export interface EngineRoom {
  /** For what is private and goes with the mover. */
  readonly folder: string;
  /** For what may stay between runs; absent when the pod has no place for it. */
  readonly cacheFolder?: string;
  /** Limits for its programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Files at once, by the pod's limit. Default: the engine's. */
  readonly parallel?: number;
}

export type MakeEngine = (name: EngineName, room: EngineRoom) => Promise<Engine>;

export interface EngineMakerOptions {
  readonly env: Env;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  readonly random: Random;
}

/** What engines need to know of this process's environment; an operator's own limits win over those of the pod. */
const PASSED_ON = [
  "PATH",
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
  ...["SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["GOMEMLIMIT", "GOMAXPROCS", "GOGC"],
] as const;

/** Every program that an engine may start, with the variable that says where it is if not on PATH. */
export const ENGINE_PROGRAMS = {
  kopia: "HOLDFAST_KOPIA",
  restic: "HOLDFAST_RESTIC",
  "holdfast-fidelity": "HOLDFAST_FIDELITY",
  /** Both engines reach rclone remotes with it. */
  rclone: "HOLDFAST_RCLONE",
  /** With it restic reaches SFTP. */
  "holdfast-sftp": "HOLDFAST_SFTP",
} as const;

/** Makes the driver of an engine, and loads no other. Its programs are on PATH, unless the environment names them. */
export function engineMaker({ env, processes, clock, random }: EngineMakerOptions): MakeEngine {
  const program = (name: keyof typeof ENGINE_PROGRAMS) =>
    env[ENGINE_PROGRAMS[name]] ?? onPath(name, env.PATH ?? "");
  const fidelityProgram = () => program("holdfast-fidelity");
  return async (name, { folder, cacheFolder, env: limits, parallel }) => {
    const own = { TZ: "UTC", ...limits, ...picked(env) };
    const seconds = Number(env.HOLDFAST_STANDSTILL_SECONDS);
    const standstill = seconds > 0 ? { standstillMs: seconds * 1000 } : {};
    if (name === "kopia") {
      const { KopiaEngine } = await import("../engines/kopia/kopia_engine.ts");
      return new KopiaEngine({
        program: program("kopia"),
        fidelityProgram: fidelityProgram(),
        folder,
        ...(cacheFolder === undefined ? {} : { cacheFolder }),
        ...(parallel === undefined ? {} : { parallel }),
        ...standstill,
        env: own,
        processes,
        clock,
        random,
      });
    }
    if (cacheFolder !== undefined) await linkCache(folder, cacheFolder);
    const { ResticEngine } = await import("../engines/restic/engine.ts");
    return new ResticEngine({
      program: program("restic"),
      fidelityProgram: fidelityProgram(),
      rclone: program("rclone"),
      sftpProgram: program("holdfast-sftp"),
      folder,
      ...standstill,
      env: own,
      processes,
      clock,
    });
  };
}

/** The driver of restic keeps private files and the cache in one folder; of these, the cache alone may stay. */
async function linkCache(folder: string, cacheFolder: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true });
  await mkdir(folder, { recursive: true });
  await symlink(cacheFolder, join(folder, "cache"));
}

function picked(env: Env): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name): [string, string][] => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The helper for attributes is started without an environment, and so without a PATH to look in. */
function onPath(name: string, path: string): string {
  const places = path.split(delimiter).filter((folder) => folder !== "");
  return places.map((folder) => join(folder, name)).find(isProgram) ?? name;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
