// The quick inner loop: types, lint, and the unit tests that what changed since the last commit concerns; all of them
// with --all. Other arguments go to vitest, such as the files to run.
import { quickChecks, runChecks } from "./checks.ts";
import { isGood } from "./results.ts";

const CHANGED = ["--changed", "--passWithNoTests"];

const args = process.argv.slice(2);
const tests = args.length === 0 ? CHANGED : args.filter((arg) => arg !== "--all");
process.exitCode = isGood(await runChecks(quickChecks(tests))) ? 0 : 1;
