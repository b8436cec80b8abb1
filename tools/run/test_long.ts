// The full matrix, with HOLDFAST_LONG set for the tests. Its results are kept, dated, in docs/results.
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { chosen, type Part } from "../launch/matrix.mjs";
import { runClusterSuite } from "./cluster_suite.ts";
import { runMutations } from "./mutation_suite.ts";
import { finish, type Outcome, summary } from "./results.ts";
import { keepTimes } from "./times.ts";
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

async function vitest(project: "unit" | "machine" | "engines" | "images", args: readonly string[]) {
  return (await runVitest(project, { args, env, output: "shown" })).outcomes;
}

/** The chart's tests once more, with the newest Helm. */
async function helmSuite(): Promise<readonly Outcome[]> {
  const newest = { ...env, HOLDFAST_TEST_HELM: "helm-4" };
  const rendered = await runVitest("machine", { args: [CHART_TESTS], env: newest, output: "shown" });
  const installed = await runClusterSuite({ args: [INSTALL_TESTS], env: newest });
  return [...rendered.outcomes, ...installed].map((one) => ({ ...one, name: `Helm 4: ${one.name}` }));
}

const RUN: Readonly<Record<Part, (args: readonly string[]) => Promise<readonly Outcome[]>>> = {
  unit: (args) => vitest("unit", args),
  mutations: () => runMutations([]),
  machine: (args) => vitest("machine", args),
  engines: (args) => vitest("engines", args),
  images: (args) => vitest("images", args),
  versions: (args) => runVersionsSuite({ args, env }),
  cluster: (args) => runClusterSuite({ args, env }),
  helm: helmSuite,
};

keepTimes();
const begun = new Date();
const given = process.argv.slice(2);
const { parts, args: said } = chosen(given);
// Files that are named may be of one part only.
const args = said.length > 0 ? [...said, "--passWithNoTests"] : [];
const outcomes: Outcome[] = [];
for (const part of parts) outcomes.push(...(await RUN[part](args)));
keep(outcomes, begun, given);
finish("test:long", outcomes);
