// Bundles the programs of src/main into one file of dist/ each, as they are shipped; the command line into a folder.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cluster/folders.ts";
import { bundle } from "./bundle.ts";
import { bundleInParts } from "./bundle_in_parts.ts";
import { shipConsolePage } from "./console_page.ts";

const FOLDER = "dist";
const COMMAND_LINE = "holdfast";
const PROGRAMS = ["console", "embedded", COMMAND_LINE, "mover", "operator"];
/** Both serve the console's page, out of the folder beside them. */
const WITH_PAGE = [FOLDER, join(FOLDER, COMMAND_LINE)];

rmSync(FOLDER, { recursive: true, force: true });
for (const name of PROGRAMS) {
  const entry = `src/main/${name}.ts`;
  const { path, bytes } =
    name === COMMAND_LINE ? await bundleInParts(entry, FOLDER) : await bundle(entry, FOLDER, name);
  console.log(`${path} … ${Math.round(bytes / 1024)} KiB`);
}
for (const folder of WITH_PAGE) await shipConsolePage(cacheFolder(), join(folder, "console"));
