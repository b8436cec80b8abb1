import { existsSync } from "node:fs";
import { isRecord } from "../../src/lib/json.ts";
import type { ProcessIdentity } from "../../src/lib/process_identity.ts";
import { messageOf } from "../../src/lib/result.ts";
import { clusterFolder } from "./folders.ts";
import { clusterNames, findInfo, type NodeInfo } from "./info.ts";
import { NodeImpossible } from "./node_impossible.ts";
import { run } from "./run.ts";

/** Held from choosing addresses until the machine's routes show them. */
export const NETWORK_LOCK = "network";

/** The ranges that this machine's routes, or other clusters that are down for now, lay claim to. */
export async function rangesInUse(exceptCluster: string): Promise<string[]> {
  const routes: unknown = JSON.parse(await run("ip", ["-json", "-4", "route", "show", "table", "all"]));
  const claimed = clusterNames()
    .filter((name) => name !== exceptCluster)
    .flatMap((name) => findInfo(clusterFolder(name))?.node?.addresses.range ?? []);
  return [...destinations(routes), ...claimed];
}

/** The IPv4 ranges in what `ip -json route` prints; a default route claims nothing. */
export function destinations(routes: unknown): string[] {
  if (!Array.isArray(routes)) return [];
  return routes
    .map((route: unknown) => (isRecord(route) ? route.dst : undefined))
    .filter((dst): dst is string => typeof dst === "string" && /^\d+(\.\d+){3}(\/\d+)?$/.test(dst));
}

/** How this machine's kernel is seen, and asked for the module that filters between bridged pods. */
export interface BridgeFilter {
  isLoaded(): boolean;
  load(): Promise<unknown>;
}

const kernelBridgeFilter: BridgeFilter = {
  isLoaded: () => existsSync("/proc/sys/net/bridge"),
  load: () => run("modprobe", ["br_netfilter"]),
};

/** Loads the module; throws when packets between pods would pass by kube-proxy's rules all the same. */
export async function requireBridgeFilter(filter = kernelBridgeFilter): Promise<void> {
  if (filter.isLoaded()) return;
  const why = await filter.load().then(
    () => "modprobe br_netfilter: it is not there afterwards",
    (error: unknown) => messageOf(error),
  );
  if (filter.isLoaded()) return;
  throw new NodeImpossible(`Services need the kernel's br_netfilter module, which cannot be loaded: ${why}`);
}

/** Links the node's network with the host's: the one way in and out. */
export async function connectNode(node: NodeInfo, init: ProcessIdentity): Promise<void> {
  const { mark, addresses } = node;
  const { host, node: inner, range, services } = addresses;
  await disconnectNode(mark);
  const inside = (...command: string[]) =>
    run("nsenter", ["--target", `${init.pid}`, "--net", "--", ...command]);
  await run("ip", ["link", "add", mark, "type", "veth", "peer", "name", "eth0", "netns", `${init.pid}`]);
  await run("ip", ["address", "add", `${host}/30`, "dev", mark]);
  await run("ip", ["link", "set", mark, "up"]);
  await inside("ip", "link", "set", "lo", "up");
  await inside("ip", "address", "add", `${inner}/30`, "dev", "eth0");
  await inside("ip", "link", "set", "eth0", "up");
  // What the node's own programs send to a Service needs a way out before kube-proxy's rules change where it goes.
  await inside("ip", "route", "add", services, "dev", "eth0", "src", inner);
  await inside("sysctl", "-qw", "net.ipv4.ip_forward=1");
  await run("ip", ["route", "add", range, "via", inner, "dev", mark]);
}

/** Removes the host's end of the link, and with it the routes. */
export async function disconnectNode(mark: string): Promise<void> {
  if (existsSync(`/sys/class/net/${mark}`)) await run("ip", ["link", "delete", mark]);
}
