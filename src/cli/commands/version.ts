import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";

/** Says which version this program is of. */
export async function version({ out, version }: Pick<Call, "out" | "version">): Promise<ExitCode> {
  out(`holdfast ${version}`);
  return EXIT.done;
}
