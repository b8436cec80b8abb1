import { EXIT, type ExitCode } from "./exit_codes.ts";

export interface ProblemOptions {
  /** Why it is so. */
  readonly why?: string | undefined;
  /** What the person can do now. */
  readonly fix?: string | undefined;
  readonly code?: ExitCode;
  readonly cause?: unknown;
}

/** What a person is told when a command cannot do what was asked: what, why, and what helps. */
export class CommandProblem extends Error {
  override name = "CommandProblem";
  readonly why: string | undefined;
  readonly fix: string | undefined;
  readonly code: ExitCode;

  constructor(what: string, options: ProblemOptions = {}) {
    super(what, { cause: options.cause });
    this.why = options.why;
    this.fix = options.fix;
    this.code = options.code ?? EXIT.failed;
  }
}

/** The command line was wrong. */
export function misuse(what: string, fix?: string): CommandProblem {
  return new CommandProblem(what, { fix, code: EXIT.usage });
}
