import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isRecord } from "../../src/lib/json.ts";
import { cacheFolder } from "./folders.ts";

const PINNED = new URL("../programs/programs.json", import.meta.url);

/** A program that the cluster needs is not on this machine. */
export class ProgramMissing extends Error {
  override name = "ProgramMissing";
}

/** The path of a pinned program: as the launcher says in HOLDFAST_PROGRAMS, or where it caches them. */
export function pinnedProgram(name: string): string {
  const path = fromLauncher(name) ?? fromCache(name);
  if (!runnable(path)) {
    throw new ProgramMissing(
      `${name} is not at ${path}: run \`npm run cluster -- …\`, which fetches or builds it`,
    );
  }
  return path;
}

function fromLauncher(name: string): string | undefined {
  const given: unknown = JSON.parse(process.env.HOLDFAST_PROGRAMS || "{}");
  const path = isRecord(given) ? given[name] : undefined;
  return typeof path === "string" ? path : undefined;
}

function fromCache(name: string): string {
  const pinned: unknown = JSON.parse(readFileSync(PINNED, "utf8"));
  const entry = isRecord(pinned) ? pinned[name] : undefined;
  if (!isRecord(entry) || typeof entry.version !== "string") {
    throw new ProgramMissing(`${name} is not among the pinned programs of tools/programs/programs.json`);
  }
  return join(cacheFolder(), "programs", name, entry.version, name);
}

/** The Debian package of each program of the machine that a cluster uses. */
const PACKAGES = {
  openssl: "openssl",
  tar: "tar",
  containerd: "containerd",
  ctr: "containerd",
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
} as const;

export type MachineProgram = keyof typeof PACKAGES;

/** Programs of the machine that only a node needs, not a control plane alone. */
export const NODE_PROGRAMS: readonly MachineProgram[] = Object.keys(PACKAGES).filter(
  (name): name is MachineProgram => name !== "openssl",
);

/** Where root's programs are, also when the caller's PATH leaves them out. */
export const SEARCH_PATH = `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin`;

/** Throws with one apt-get line when any of these programs, or the CNI plugins, is missing. */
export function requirePrograms(names: readonly MachineProgram[]): void {
  const missing = names.filter(
    (name) => !SEARCH_PATH.split(delimiter).some((dir) => runnable(join(dir, name))),
  );
  const packages = new Set(missing.map((name) => PACKAGES[name]));
  if (names.includes("containerd") && !CNI_FOLDERS.some((dir) => runnable(join(dir, "bridge")))) {
    packages.add("containernetworking-plugins" as never);
  }
  if (packages.size === 0) return;
  throw new ProgramMissing(
    `the cluster needs programs that are not installed; run: apt-get install -y --no-install-recommends ${[...packages].join(" ")}`,
  );
}

const CNI_FOLDERS = ["/usr/lib/cni", "/opt/cni/bin"] as const;

/** The folder of the machine's CNI plugins. */
export function cniFolder(): string {
  return CNI_FOLDERS.find((dir) => runnable(join(dir, "bridge"))) ?? CNI_FOLDERS[0];
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
