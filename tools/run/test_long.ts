// The full matrix, with HOLDFAST_LONG set for the tests. Its results are kept, dated, in docs/results.
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { runClusterSuite } from "./cluster_suite.ts";
import { finish, type Outcome, summary } from "./results.ts";
import { runVersionsSuite } from "./versions_suite.ts";
import { runVitest } from "./vitest.ts";

const FOLDER = "docs/results";
/** What is run with both versions of Helm. */
const [CHART_TESTS, INSTALL_TESTS] = ["test/machine/chart.test.ts", "test/cluster/install.test.ts"];

function keep(outcomes: readonly Outcome[], begun: Date, args: readonly string[]): void {
  const machine = `${type()} ${release()} ${arch()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const minutes = Math.round((Date.now() - begun.getTime()) / 60_000);
  const name = begun.toISOString().slice(0, 16).replace(":", "");
  const what = args.length > 0 ? `only ${args.join(" ")}` : "everything";
  const text = `# ${begun.toISOString()}\n\n${what}, in ${minutes} minutes, on ${machine}, Node ${process.version}\n\n`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.md`), `${text}\`\`\`\n${summary(outcomes)}\n\`\`\`\n`);
  writeFileSync(
    join(FOLDER, `${name}.json`),
    `${JSON.stringify({ begun, machine, node: process.version, args, outcomes }, null, 2)}\n`,
  );
}

const env = { HOLDFAST_LONG: "1" };

async function vitest(project: "unit" | "machine" | "engines", args: readonly string[]) {
  return (await runVitest(project, { args, env, output: "shown" })).outcomes;
}

/** The chart's tests once more, with the newest Helm. */
async function helmSuite(): Promise<readonly Outcome[]> {
  const newest = { ...env, HOLDFAST_TEST_HELM: "helm-4" };
  const rendered = await runVitest("machine", { args: [CHART_TESTS], env: newest, output: "shown" });
  const installed = await runClusterSuite({ args: [INSTALL_TESTS], env: newest });
  return [...rendered.outcomes, ...installed].map((one) => ({ ...one, name: `Helm 4: ${one.name}` }));
}

/** What the matrix consists of. One part may be named, before files of its own; or files alone, of any but the last. */
const PARTS: Readonly<Record<string, (args: readonly string[]) => Promise<readonly Outcome[]>>> = {
  unit: (args) => vitest("unit", args),
  machine: (args) => vitest("machine", args),
  engines: (args) => vitest("engines", args),
  versions: (args) => runVersionsSuite({ args, env }),
  cluster: (args) => runClusterSuite({ args, env }),
  helm: helmSuite,
};

const begun = new Date();
const given = process.argv.slice(2);
const [first = ""] = given;
const named = Object.hasOwn(PARTS, first);
const files = named ? given.slice(1) : given;
// Files that are named may be of one part only.
const args = files.length > 0 ? [...files, "--passWithNoTests"] : [];
const chosen = Object.entries(PARTS).filter(([part]) =>
  named ? part === first : files.length === 0 || part !== "helm",
);
const outcomes: Outcome[] = [];
for (const [, run] of chosen) outcomes.push(...(await run(args)));
keep(outcomes, begun, given);
finish("test:long", outcomes);
