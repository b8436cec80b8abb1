// The quick inner loop: types, lint and unit tests. Arguments go to vitest, such as the files to run.
import { quickChecks, runChecks } from "./checks.ts";
import { isGood } from "./results.ts";

process.exitCode = isGood(await runChecks(quickChecks(process.argv.slice(2)))) ? 0 : 1;
