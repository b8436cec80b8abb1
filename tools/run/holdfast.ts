// The command line from its sources: against the embedded world of this machine, unless a cluster is named.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "../cluster/folders.ts";

const { env } = process;
const home = env.HOLDFAST_HOME || join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "holdfast");
const kubeconfig = join(home, "kubeconfig");
if (!env.KUBECONFIG && existsSync(kubeconfig)) env.KUBECONFIG = kubeconfig;
// Only this command serves the page, which takes seconds to build.
if (process.argv.includes("console")) {
  const { consolePage } = await import("./console_page.ts");
  env.HOLDFAST_CONSOLE = await consolePage(cacheFolder());
}
await import("../../src/main/holdfast.ts");
