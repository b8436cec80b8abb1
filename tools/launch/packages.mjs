import { existsSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "./errors.mjs";
import { findOnPath } from "./find_on_path.mjs";
import { withLock } from "./lock.mjs";
import { CommandFailed, run, tail } from "./run.mjs";

/** What the node of a real cluster takes from the system: the Debian package by the file that it brings. */
export const nodePackages = {
  runc: "runc",
  "/usr/lib/cni/bridge": "containernetworking-plugins",
  iptables: "iptables",
  conntrack: "conntrack",
  ip: "iproute2",
  busybox: "busybox-static",
  sysctl: "procps",
  unshare: "util-linux",
  mount: "mount",
  gcc: "gcc",
  "/usr/include/stdio.h": "libc6-dev",
};

/**
 * Installs the Debian packages whose executables are missing, or says how to.
 * @param {Readonly<Record<string, string>>} packages package by executable on PATH, or by absolute path of any file
 * @param {{ cache: string, env: NodeJS.ProcessEnv, progress: import("./progress.mjs").Progress, signal: AbortSignal, root?: boolean }} options
 */
export async function ensurePackages(
  packages,
  { cache, env, progress, signal, root = process.getuid?.() === 0 },
) {
  let missing = await missingPackages(packages, env);
  if (missing.length === 0) return;
  const command = ["apt-get", "install", "-y", "--no-install-recommends"];
  if (!(await findOnPath("apt-get", env))) {
    throw new LaunchError(
      `These Debian packages, or what your system calls them, are needed: ${missing.join(" ")}. Install them and run again.`,
    );
  }
  if (!root) {
    throw new LaunchError(
      `Some Debian packages are needed. Install them and run again:\n  sudo ${[...command, ...missing].join(" ")}`,
    );
  }
  await withLock(
    join(cache, "locks", "debian-packages"),
    { task: "installing Debian packages", progress, signal },
    async () => {
      missing = await missingPackages(packages, env);
      if (missing.length === 0) return;
      const quiet = { env: { ...env, DEBIAN_FRONTEND: "noninteractive" }, signal };
      try {
        await progress.step(`installing Debian packages ${missing.join(" ")}`, async () => {
          await run("apt-get", ["update"], quiet);
          await run("apt-get", [...command.slice(1), ...missing], quiet);
        });
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        throw new LaunchError(
          `The Debian packages ${missing.join(" ")} could not be installed: ${error.message}\n${tail(error.output)}`,
          { cause: error },
        );
      }
    },
  );
}

/**
 * @param {Readonly<Record<string, string>>} packages
 * @param {NodeJS.ProcessEnv} env
 */
async function missingPackages(packages, env) {
  const missing = [];
  for (const [file, name] of Object.entries(packages)) {
    const there = file.startsWith("/") ? existsSync(file) : await findOnPath(file, env);
    if (!there) missing.push(name);
  }
  return missing;
}
