// Bundles the programs of src/main into one file of dist/ each, as they are shipped; the command line into a folder.
import { rmSync } from "node:fs";
import { bundle } from "./bundle.ts";
import { bundleInParts } from "./bundle_in_parts.ts";

const FOLDER = "dist";
const COMMAND_LINE = "holdfast";
const PROGRAMS = ["embedded", COMMAND_LINE, "mover", "operator"];

rmSync(FOLDER, { recursive: true, force: true });
for (const name of PROGRAMS) {
  const entry = `src/main/${name}.ts`;
  const { path, bytes } =
    name === COMMAND_LINE ? await bundleInParts(entry, FOLDER) : await bundle(entry, FOLDER, name);
  console.log(`${path} … ${Math.round(bytes / 1024)} KiB`);
}
