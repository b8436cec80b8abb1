// Bundles every program of src/main into one file of dist/ each, as it is shipped; the command line into a folder.
import { globSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { bundle } from "./bundle.ts";
import { bundleInParts } from "./bundle_in_parts.ts";

const FOLDER = "dist";
const COMMAND_LINE = "src/main/holdfast.ts";

rmSync(FOLDER, { recursive: true, force: true });
for (const entry of globSync("src/main/*.ts").filter((file) => !file.endsWith(".test.ts"))) {
  const { path, bytes } =
    entry === COMMAND_LINE
      ? await bundleInParts(entry, FOLDER)
      : await bundle(entry, FOLDER, basename(entry, ".ts"));
  console.log(`${path} … ${Math.round(bytes / 1024)} KiB`);
}
