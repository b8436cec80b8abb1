// Runs Holdfast on this machine, from its sources: bundles the mover for the pods, then becomes the program itself.
import { join } from "node:path";
import { stop } from "esbuild";
import { cacheFolder } from "../cluster/folders.ts";
import { bundle } from "./bundle.ts";

process.env.HOLDFAST_MOVER = (await bundle("src/main/mover.ts", join(cacheFolder(), "mover"), "mover")).path;
await stop();
await import("../../src/main/embedded.ts");
