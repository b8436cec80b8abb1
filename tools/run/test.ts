// Everything that needs no cluster: types, lint, drift of generated files, unit and property tests.
import { driftChecks, quickChecks, runChecks } from "./checks.ts";
import { finish } from "./results.ts";

finish("test", await runChecks([...quickChecks(process.argv.slice(2)), ...driftChecks()]));
