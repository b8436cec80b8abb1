import { runNode } from "./child.ts";
import { MUTATION } from "./mutation_plugin.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import type { Outcome } from "./results.ts";

/** Tries the mutations whose names hold one of these; all of them without any. Each that is noticed has passed. */
export async function runMutations(names: readonly string[]): Promise<readonly Outcome[]> {
  const chosen = MUTATIONS.filter(
    ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  const outcomes: Outcome[] = [];
  for (const mutation of chosen) {
    const outcome = await tried(mutation);
    console.log(`${outcome.state === "passed" ? "noticed" : "NOT NOTICED"}: ${mutation.name}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function tried({ name, file }: Mutation): Promise<Outcome> {
  const args = ["node_modules/vitest/vitest.mjs", "related", file, "--run", "--project", "unit", "--bail=1"];
  // The list of mutations is read by a test of its own, which does not count.
  const { exitCode, output, ms } = await runNode(args, { env: { [MUTATION]: name, NO_COLOR: "1" } });
  const failed = /Tests +\d+ failed|Test Files +\d+ failed/.test(output);
  if (exitCode !== 0 && failed) return { name, state: "passed", ms };
  const why = exitCode === 0 ? `${file}: all unit tests pass with it` : output.slice(-500);
  return { name, state: "failed", ms, why };
}
