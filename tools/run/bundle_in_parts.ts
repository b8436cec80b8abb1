import { chmodSync, globSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Bundles a program into a folder of its name: one small file to start, and parts that are loaded when they are needed.
 * In a single file, every module of Node's that any part imports would be loaded with each start. Returns the path of
 * the first file, and the size of all.
 */
export async function bundleInParts(entry: string, folder: string): Promise<{ path: string; bytes: number }> {
  const name = basename(entry, ".ts");
  const outdir = join(folder, name);
  await build({
    entryPoints: [entry],
    outdir,
    splitting: true,
    chunkNames: "parts/[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Its CommonJS form, which Node would take, has no named exports as a part of its own.
    alias: { yaml: fileURLToPath(new URL("../../node_modules/yaml/browser/index.js", import.meta.url)) },
    platform: "node",
    format: "esm",
    target: "node24",
    minify: true,
    legalComments: "linked",
    logLevel: "warning",
    // Packages in CommonJS call require() for Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const path = join(outdir, `${name}.mjs`);
  chmodSync(path, 0o755);
  const files = globSync(join(outdir, "**/*.mjs"));
  return { path, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}
