// Runs Holdfast on this machine, from its sources: bundles the mover for the pods and the console's page, then becomes the
// program itself.
import { join } from "node:path";
import { stop } from "esbuild";
import { cacheFolder } from "../cluster/folders.ts";
import { bundle } from "./bundle.ts";
import { consolePage } from "./console_page.ts";

const [mover, page] = await Promise.all([
  bundle("src/main/mover.ts", join(cacheFolder(), "mover"), "mover"),
  consolePage(cacheFolder()),
]);
process.env.HOLDFAST_MOVER = mover.path;
process.env.HOLDFAST_CONSOLE = page;
await stop();
await import("../../src/main/embedded.ts");
