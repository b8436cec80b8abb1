// Changes one decision at a time, as tools/run/mutations.ts lists them, and runs the unit tests that read its file: they
// have to notice. Arguments are parts of names: only those mutations are tried.
import { runMutations } from "./mutation_suite.ts";
import { finish } from "./results.ts";

finish("mutate", await runMutations(process.argv.slice(2)));
