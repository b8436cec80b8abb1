import { join } from "node:path";
import { projectFolder } from "../launch/folders.mjs";
import { MUTATIONS, mutated } from "./mutations.ts";

/** Names the mutation that the tests are to run with. */
export const MUTATION = "HOLDFAST_MUTATION";

/** Has the tests read one file with its mutation; the file itself stays as it is. Nothing where none is named. */
export function mutationPlugin(env: NodeJS.ProcessEnv) {
  const wanted = env[MUTATION];
  const mutation = MUTATIONS.find(({ name }) => name === wanted);
  if (wanted && !mutation) throw new Error(`there is no mutation ${JSON.stringify(wanted)}`);
  return {
    name: "holdfast-mutation",
    enforce: "pre" as const,
    transform(code: string, id: string) {
      return mutation && id === join(projectFolder, mutation.file) ? mutated(mutation, code) : undefined;
    },
  };
}
