import { pinnedProgram } from "../../tools/cluster/programs.ts";

/** The Helm to run. The full matrix names another version's in HOLDFAST_TEST_HELM. */
export function helmProgram(): string {
  const { HOLDFAST_TEST_HELM: other } = process.env;
  return other ? pinnedProgram(other) : pinnedProgram("helm");
}
