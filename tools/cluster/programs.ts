import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isRecord } from "../../src/lib/json.ts";
import { cacheFolder, type Env } from "./folders.ts";

const PINNED = new URL("../programs/programs.json", import.meta.url);

/** Where root's programs are, also when the caller's PATH leaves them out. */
export const SEARCH_PATH = `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin`;

const CNI_FOLDERS = ["/usr/lib/cni", "/opt/cni/bin"] as const;

/** One of several plugins that come together. */
const CNI_PLUGIN = "bridge";

/** A program that the cluster needs is not on this machine. */
export class ProgramMissing extends Error {
  override name = "ProgramMissing";
}

/** The path of a pinned program: as the launcher says in HOLDFAST_PROGRAMS, or where it caches them. */
export function pinnedProgram(name: string, env: Env = process.env): string {
  const path = fromLauncher(name, env) ?? fromCache(name, env);
  if (!runnable(path)) {
    throw new ProgramMissing(
      `${name} is not at ${path}: run this by its npm command, which fetches or builds what it needs`,
    );
  }
  return path;
}

function fromLauncher(name: string, env: Env): string | undefined {
  const given: unknown = JSON.parse(env.HOLDFAST_PROGRAMS || "{}");
  const path = isRecord(given) ? given[name] : undefined;
  return typeof path === "string" ? path : undefined;
}

function fromCache(name: string, env: Env): string {
  const pinned: unknown = JSON.parse(readFileSync(PINNED, "utf8"));
  const entry = isRecord(pinned) ? pinned[name] : undefined;
  if (!isRecord(entry) || typeof entry.version !== "string") {
    throw new ProgramMissing(`${name} is not among the pinned programs of tools/programs/programs.json`);
  }
  const executable = typeof entry.executable === "string" ? entry.executable : name;
  return join(cacheFolder(env), "programs", name, entry.version, executable);
}

/** The Debian packages of the machine's programs that a cluster uses. */
const PACKAGES = {
  openssl: "openssl",
  tar: "tar",
  runc: "runc",
  iptables: "iptables",
  conntrack: "conntrack",
  busybox: "busybox-static",
  ip: "iproute2",
  sysctl: "procps",
  unshare: "util-linux",
  nsenter: "util-linux",
  mount: "mount",
  gcc: "gcc libc6-dev",
  [CNI_PLUGIN]: "containernetworking-plugins",
} as const;

export type MachineProgram = keyof typeof PACKAGES;

/** What a control plane alone needs of the machine. */
export const CONTROL_PLANE_PROGRAMS: readonly MachineProgram[] = ["openssl"];

/** What a cluster with a node needs of the machine. */
export const ALL_PROGRAMS = Object.keys(PACKAGES) as readonly MachineProgram[];

/** Throws with one apt-get line when any of these programs is missing. */
export function requirePrograms(names: readonly MachineProgram[]): void {
  const folders = [...SEARCH_PATH.split(delimiter), ...CNI_FOLDERS];
  const missing = names.filter((name) => !folders.some((folder) => runnable(join(folder, name))));
  if (missing.length === 0) return;
  const packages = new Set(missing.map((name) => PACKAGES[name]));
  throw new ProgramMissing(
    `the cluster needs ${missing.join(", ")}: run apt-get install -y --no-install-recommends ${[...packages].join(" ")}`,
  );
}

/** The folder of the machine's CNI plugins. */
export function cniFolder(): string {
  return CNI_FOLDERS.find((folder) => runnable(join(folder, CNI_PLUGIN))) ?? CNI_FOLDERS[0];
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
