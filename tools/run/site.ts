// Builds the documentation's site into dist/site: pages that need no server.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { siteOf } from "../site/site.ts";

const FOLDER = "dist/site";

const { files, broken } = siteOf(".");
rmSync(FOLDER, { recursive: true, force: true });
for (const [path, file] of files) {
  const target = join(FOLDER, path);
  mkdirSync(dirname(target), { recursive: true });
  if ("html" in file) writeFileSync(target, file.html);
  else copyFileSync(file.copyOf, target);
}
console.log(`${FOLDER}/index.html … ${files.size} files`);
for (const link of broken) console.error(`a link that leads nowhere: ${link}`);
if (broken.length > 0) process.exitCode = 1;
