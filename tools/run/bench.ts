import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { autorestoreFigures } from "../../bench/autorestore.ts";
import { catalogueFigures } from "../../bench/catalogue.ts";
import { cliFigures } from "../../bench/cli.ts";
import { consoleFigures } from "../../bench/console.ts";
import { embeddedFigures } from "../../bench/embedded.ts";
import { type Figure, table } from "../../bench/figures.ts";
import { kubeFigures } from "../../bench/kube.ts";
import { largeVolumeFigures } from "../../bench/large_volume.ts";
import { millionFilesFigures } from "../../bench/million_files.ts";
import { moverFigures } from "../../bench/mover.ts";
import { operatorFigures } from "../../bench/operator.ts";
import { planFigures } from "../../bench/plans.ts";
import { plumberFigures } from "../../bench/plumber.ts";
import { populatorFigures } from "../../bench/populator.ts";
import { scheduleFigures } from "../../bench/schedules.ts";
import { templateFigures } from "../../bench/templates.ts";
import { veleroFigures } from "../../bench/velero.ts";
import { benchmarkPage } from "./benchmark_page.ts";

/*
 * npm run bench [-- name…] [--write]: prints one JSON object a line, then a table for people, and exits 0 whatever
 * the figures are. With --write, docs/benchmarks.md shows this run; parts that were not run stay as they were.
 */
const suites: Readonly<Record<string, (say: (line: string) => void) => Promise<Figure[]>>> = {
  kube: kubeFigures,
  embedded: embeddedFigures,
  mover: moverFigures,
  large: largeVolumeFigures,
  million: millionFilesFigures,
  catalogue: catalogueFigures,
  operator: operatorFigures,
  schedules: scheduleFigures,
  cli: cliFigures,
  console: consoleFigures,
  populator: populatorFigures,
  plumber: plumberFigures,
  autorestore: autorestoreFigures,
  templates: templateFigures,
  plans: planFigures,
  velero: veleroFigures,
};

const PAGE = "docs/benchmarks.md";
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(", ")}; there are: ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}

const tables = new Map<string, string>();
for (const [name, measure] of Object.entries(suites)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const figures = await measure((line) => console.error(`${name}: ${line}`));
  for (const figure of figures) console.log(JSON.stringify(figure));
  tables.set(name, table(figures));
}
for (const [name, text] of tables) console.log(`\n## ${name}\n\n${text}`);
if (process.argv.includes("--write")) {
  const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const run = { tables, date: new Date().toISOString().slice(0, 10), machine };
  writeFileSync(PAGE, benchmarkPage(readFileSync(PAGE, "utf8"), Object.keys(suites), run));
}
// Whatever a suite left open, the bundler's service among it, keeps nobody waiting.
process.exit(0);
