import { statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles a program and all that it imports into one file for Node. Returns its path and size. */
export async function bundle(
  entry: string,
  folder: string,
  name: string,
): Promise<{ path: string; bytes: number }> {
  const path = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile: path,
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
  return { path, bytes: statSync(path).size };
}
