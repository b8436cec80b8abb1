import type { Call } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem, misuse } from "./problem.ts";

/** What somebody has to confirm by more than a yes. */
export interface NamedConfirmation {
  /** The option that names it on the command line. */
  readonly option: string;
  /** What has to be typed. */
  readonly name: string;
  readonly why: string;
}

/** Goes on when somebody has typed the name, or given it on the command line. --yes does not confirm this. */
export async function confirmedByName(
  { given, terminal, signal }: Pick<Call, "given" | "terminal" | "signal">,
  { option, name, why }: NamedConfirmation,
): Promise<void> {
  const said = given.text(option);
  if (said === name) return;
  const fix = `If it is meant, add --${option} ${name}. --yes does not confirm this.`;
  if (said !== undefined) throw misuse(`--${option} is ${said}, and the plan is about ${name}`, fix);
  if (!terminal.ask)
    throw new CommandProblem("this needs a confirmation of its own", { why, fix, code: EXIT.notConfirmed });
  const answer = await terminal.ask(`${why}\nType ${name} to go on: `, signal);
  if (answer?.trim() !== name) throw new CommandProblem("nothing was done", { code: EXIT.notConfirmed });
}
