import { messageOf } from "../../lib/result.ts";
import { EXIT, type ExitCode } from "./exit_codes.ts";

export interface LostOutput {
  readonly code: ExitCode;
  /** What a person is told, if anything. */
  readonly text?: string;
}

/** How the program ends when its output cannot be written. Whoever reads only the first lines, such as head, has seen enough. */
export function lostOutput(error: unknown): LostOutput {
  if ((error as { readonly code?: unknown }).code === "EPIPE") return { code: EXIT.done };
  return { code: EXIT.failed, text: `error: the output cannot be written\n  why: ${messageOf(error)}\n` };
}
