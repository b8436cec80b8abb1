// Builds the console's page, once for each form of its sources.
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));
const workspace = join(project, "console");
/** What the page may be made of: its own files, those of the command line that it shares, and the packages. */
const SOURCES = [
  "console/**/*",
  "src/{cli,core,lib,wire}/**/*.ts",
  "package-lock.json",
  "tools/run/console_page.ts",
];

/** The folder of the built page in `cache`; built there unless these sources were built before. */
export async function consolePage(cache: string): Promise<string> {
  const folder = join(cache, "console", sourceHash());
  if (existsSync(folder)) return folder;
  const work = `${folder}.${process.pid}`;
  // Not loaded by programs that find the page built.
  const { build } = await import("vite");
  mkdirSync(join(cache, "console"), { recursive: true });
  const { NODE_ENV } = process.env;
  // Whoever builds it, such as a test: anything else makes a page for developers, larger by half and slower.
  process.env.NODE_ENV = "production";
  try {
    await build({ root: workspace, logLevel: "warn", build: { outDir: work, emptyOutDir: true } });
    renameSync(work, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** The built page, copied to where it is shipped. */
export async function shipConsolePage(cache: string, out: string): Promise<void> {
  cpSync(await consolePage(cache), out, { recursive: true });
}

function sourceHash(): string {
  const hash = createHash("sha256");
  const isSource = (file: string) => !/(^|\/)node_modules\//.test(file) && /\.\w+$/.test(file);
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: project }))
    .filter(isSource)
    .toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(project, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}
