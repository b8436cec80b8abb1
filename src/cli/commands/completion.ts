import { SCRIPTS } from "../complete/scripts.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";

/** Prints the completion script of a shell. */
export async function completion({ given, out }: Pick<Call, "given" | "out">): Promise<ExitCode> {
  out(SCRIPTS[given.word(0)] ?? "");
  return EXIT.done;
}
