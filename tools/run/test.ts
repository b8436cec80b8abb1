// Everything that needs no cluster: types, lint, drift of generated files, unit and property tests, and then the tests
// that start real programs.
import { driftChecks, programChecks, quickChecks, runChecks } from "./checks.ts";
import { finish } from "./results.ts";
import { keepTimes } from "./times.ts";

keepTimes();
const outcomes = [...(await runChecks([...quickChecks(process.argv.slice(2)), ...driftChecks()]))];
for (const check of programChecks()) outcomes.push(...(await runChecks([check])));
finish("test", outcomes);
