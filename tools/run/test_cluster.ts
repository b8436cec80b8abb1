// The suites on a real cluster, which is brought up for them. Arguments go to vitest, such as the files to run.
import { runClusterSuite } from "./cluster_suite.ts";
import { finish } from "./results.ts";
import { keepTimes } from "./times.ts";

keepTimes();
finish("test:cluster", await runClusterSuite({ args: process.argv.slice(2) }));
