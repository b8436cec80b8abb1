import { clusterText } from "./cluster_text.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem } from "./problem.ts";

/** Goes on when somebody says yes to what was shown. Throws a CommandProblem otherwise; `fix` is for scripts. */
export async function confirmed(
  { given, terminal, signal, cluster }: Pick<Call, "given" | "terminal" | "signal" | "cluster">,
  fix: string,
): Promise<void> {
  if (given.flag("yes")) return;
  if (!terminal.ask) {
    throw new CommandProblem("this needs a confirmation", {
      why: "stdin is not a terminal.",
      fix,
      code: EXIT.notConfirmed,
    });
  }
  const answer = await terminal.ask(`Do it in cluster ${clusterText(await cluster())}? [y/N] `, signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? ""))
    throw new CommandProblem("nothing was done", { code: EXIT.notConfirmed });
}
