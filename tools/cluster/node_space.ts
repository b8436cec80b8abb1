import { existsSync, mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { recordComponent } from "./component.ts";
import { launch } from "./launch.ts";
import { NodeImpossible } from "./node_impossible.ts";
import { checkSocketPaths } from "./node_programs.ts";
import { until } from "./until.ts";

/** Folders of the machine that the node's programs get their own of. */
const COVERED = ["/run", "/var/run", "/var/lib", "/var/log"];

/**
 * What the kubelet wants to find, and would otherwise set for the whole machine: it is shown these values, and
 * leaves the real ones alone.
 */
const KERNEL_SETTINGS = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
} as const;

/** Makes the node's own mounts, then becomes the process that holds the namespaces. Arguments: folder, holder. */
const SETUP = `
set -e
mount --make-rshared /
mount -t tmpfs -o mode=755 holdfast /run
mkdir -p /run/holdfast/lib /run/holdfast/work /run/lock
mount -t overlay -o lowerdir=/var/lib,upperdir=/run/holdfast/lib,workdir=/run/holdfast/work holdfast /var/lib
mount --bind "$1/node-log" /var/log
${Object.entries(KERNEL_SETTINGS)
  .map(
    ([name, value], i) =>
      `echo ${value} >/run/holdfast/${i}; mount --bind /run/holdfast/${i} /proc/sys/${name}`,
  )
  .join("\n")}
exec "$2"
`;

/**
 * Starts the process that holds the node's namespaces of networks, mounts and processes. When it ends, the
 * kernel ends everything inside: programs, containers, mounts, links and packet filters.
 */
export async function openNodeSpace(directory: string, holder: string): Promise<void> {
  const covered = COVERED.find((folder) => realpathSync(directory).startsWith(`${folder}/`));
  if (covered) {
    throw new NodeImpossible(
      `a full cluster cannot keep its state under ${covered}, which its node gets one of its own of: set HOLDFAST_CLUSTERS to another folder`,
    );
  }
  checkSocketPaths(realpathSync(directory));
  mkdirSync(join(directory, "node-log"), { recursive: true });
  const namespaces = ["--net", "--mount", "--propagation", "slave", "--pid", "--fork", "--mount-proc"];
  const command = ["unshare", ...namespaces, "--", "sh", "-c", SETUP, "node", directory, holder];
  const log = join(directory, "log", "node.log");
  const process = await launch({ command, log, directory, forks: true });
  const record = { process, command, log };
  recordComponent(directory, "node", record);
  const holds = () =>
    existsSync(`/proc/${process.pid}`) && readlinkSync(`/proc/${process.pid}/exe`) === holder;
  await until("the node's namespaces are set up", holds, { timeout: 10_000, watch: { node: record } });
}
