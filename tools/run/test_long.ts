// The full matrix, with HOLDFAST_LONG set for the tests. Its results are kept, dated, in docs/results.
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { runClusterSuite } from "./cluster_suite.ts";
import { finish, type Outcome, summary } from "./results.ts";
import { runVitest } from "./vitest.ts";

const FOLDER = "docs/results";

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

const begun = new Date();
const given = process.argv.slice(2);
// Files that are named may be of one project only.
const args = given.length > 0 ? [...given, "--passWithNoTests"] : [];
const env = { HOLDFAST_LONG: "1" };
const outcomes: Outcome[] = [];
for (const project of ["unit", "machine", "engines"] as const) {
  outcomes.push(...(await runVitest(project, { args, env, output: "shown" })).outcomes);
}
outcomes.push(...(await runClusterSuite({ args, env })));
keep(outcomes, begun, given);
finish("test:long", outcomes);
