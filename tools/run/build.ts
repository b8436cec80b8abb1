// Bundles every program of src/main into one file of dist/ each, as it is shipped.
import { globSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { bundle } from "./bundle.ts";

const FOLDER = "dist";

rmSync(FOLDER, { recursive: true, force: true });
for (const entry of globSync("src/main/*.ts").filter((file) => !file.endsWith(".test.ts"))) {
  const { path, bytes } = await bundle(entry, FOLDER, basename(entry, ".ts"));
  console.log(`${path} … ${Math.round(bytes / 1024)} KiB`);
}
