// The command line from its sources: against the embedded world of this machine, unless a cluster is named.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const { env } = process;
const home = env.HOLDFAST_HOME || join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "holdfast");
const kubeconfig = join(home, "kubeconfig");
if (!env.KUBECONFIG && existsSync(kubeconfig)) env.KUBECONFIG = kubeconfig;
await import("../../src/main/holdfast.ts");
