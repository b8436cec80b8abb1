// Sums up suites that ran one after another: each argument is SUITE=EXIT-CODE, their outcomes are in HOLDFAST_RESULTS.
import { showSummary, suiteOutcomes } from "./results.ts";

const folder = process.env.HOLDFAST_RESULTS;
if (!folder)
  throw new Error("HOLDFAST_RESULTS is not set: it names the folder where the suites left their results");

showSummary(
  process.argv.slice(2).flatMap((argument) => {
    const [suite = "", exitCode] = argument.split("=");
    return suiteOutcomes(folder, suite, Number(exitCode));
  }),
);
