import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { celEvaluator } from "../../src/kube/schema/cel.ts";
import { checkCrds } from "../../src/kube/schema/check.ts";
import { crdOf } from "../../src/kube/schema/crd.ts";
import { alertsFiles } from "./alerts_files.ts";
import { chartCrds } from "./chart_files.ts";
import { dashboardFiles } from "./dashboard_files.ts";
import { crdLists, generatedFiles } from "./generated_files.ts";
import { type KindEntry, kinds } from "./kinds.ts";
import { metricsFiles } from "./metrics_files.ts";
import { reasonsFiles } from "./reasons_files.ts";
import { rightsFiles } from "./rights_files.ts";

export interface Generation {
  /** What the API server would refuse, or a house rule forbids; with an error among it nothing is written. */
  readonly findings: readonly string[];
  readonly failed: boolean;
  /** Files that were not as generated, one line each: what about them differs. */
  readonly drift: readonly string[];
}

export interface GenerateOptions {
  readonly root: string;
  /** Only says what differs. Default false. */
  readonly check?: boolean;
  /** What is generated from something else than the kinds: path from the root, and text. Default nothing. */
  readonly others?: ReadonlyMap<string, string>;
}

/** Writes what is generated from the kinds, or with `check` only says what differs. */
export async function generate(entries: readonly KindEntry[], options: GenerateOptions): Promise<Generation> {
  const { root, check = false, others = new Map<string, string>() } = options;
  const found = checkCrds(
    entries.map(({ kind }) => crdOf(kind)),
    celEvaluator(),
  );
  const findings = found.map(({ severity, path, message }) => `${severity}: ${path}: ${message}`);
  if (found.some(({ severity }) => severity === "error")) return { findings, failed: true, drift: [] };

  const wanted = new Map([
    ...entries.flatMap((entry) => [...generatedFiles(entry)]),
    ...crdLists(entries),
    ...chartCrds(entries),
    ...others,
  ]);
  const drift: string[] = [];
  for (const [path, text] of wanted) {
    const current = await readFile(join(root, path), "utf8").catch(missing);
    if (current === text) continue;
    drift.push(difference(path, current, text));
    if (check) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const path of await leftovers(entries, wanted, root)) {
    drift.push(`${path}: no kind generates it any more`);
    if (!check) await rm(join(root, path));
  }
  return { findings, failed: check && drift.length > 0, drift };
}

async function leftovers(
  entries: readonly KindEntry[],
  wanted: ReadonlyMap<string, string>,
  root: string,
): Promise<readonly string[]> {
  const folders = new Set([
    ...entries.map(({ folder }) => posix.join(folder, "generated")),
    ...[...chartCrds(entries).keys()].map((path) => posix.dirname(path)),
  ]);
  const found: string[] = [];
  for (const folder of folders) {
    const names = (await readdir(join(root, folder)).catch(missing)) ?? [];
    found.push(...names.map((name) => posix.join(folder, name)).filter((path) => !wanted.has(path)));
  }
  return found;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

/** Characters of a line; some files have an object in each. */
const MOST_SHOWN = 160;

function difference(path: string, current: string | undefined, wanted: string): string {
  if (current === undefined) return `${path}: is missing`;
  const before = current.split("\n");
  const after = wanted.split("\n");
  const line = after.findIndex((text, i) => text !== before[i]);
  const at = line < 0 ? after.length : line;
  const show = (text: string | undefined) =>
    text === undefined ? "(its end)" : JSON.stringify(text.trim().slice(0, MOST_SHOWN));
  return `${path}: line ${at + 1} is ${show(before[at])}, should be ${show(after[at])}`;
}

if (import.meta.main) {
  const check = process.argv.includes("--check");
  const root = join(import.meta.dirname, "../..");
  const result = await generate(kinds, {
    root,
    check,
    others: new Map([
      ...rightsFiles(),
      ...metricsFiles(),
      ...reasonsFiles(),
      ...alertsFiles(),
      ...dashboardFiles(),
    ]),
  });
  for (const line of [...result.findings, ...result.drift]) console.log(line);
  if (result.failed) {
    console.error(
      check && result.drift.length > 0
        ? "Run `npm run generate` and commit the result."
        : "Nothing was written.",
    );
    process.exitCode = 1;
  }
}
