import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles a program and all that it imports into one file for Node. Returns its path and size. */
export async function bundle(
  entry: string,
  folder: string,
  name: string,
): Promise<{ path: string; bytes: number }> {
  const path = join(folder, `${name}.mjs`);
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile: path,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    minifySyntax: true,
    legalComments: "linked",
    logLevel: "warning",
    // Packages in CommonJS call require() for Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  await mkdir(folder, { recursive: true });
  // Each as a whole: somebody may be reading the one before.
  for (const file of outputFiles) {
    const fresh = `${file.path}.${randomUUID()}`;
    await writeFile(fresh, file.contents);
    await rename(fresh, file.path);
  }
  return { path, bytes: statSync(path).size };
}
