import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { namedText } from "../frame/named_text.ts";
import { printed } from "../frame/printed.ts";
import { CommandProblem } from "../frame/problem.ts";
import { asked } from "./maintenance_run.ts";

/** Checks a repository now, and says what was found. */
export async function verify(call: Call): Promise<ExitCode> {
  const run = await asked(call, "check");
  if (!run) return EXIT.done;
  const { before, ended } = run;
  const { failure, lastCheck } = ended.status ?? {};
  if (failure) throw failureOf(ended);
  if (lastCheck === undefined || lastCheck.at === before.status?.lastCheck?.at) throw notChecked(ended);
  if (!lastCheck.healthy) throw damage(ended);
  if (!(await printed(call, ended)))
    call.out(`the repository is sound: the check of ${lastCheck.at} found nothing`);
  return EXIT.done;
}

function notChecked(maintenance: Maintenance): CommandProblem {
  return new CommandProblem("the repository was not checked", {
    why: "The request was answered without a check: it was cancelled, or the operator is older than this program.",
    fix: `holdfast explain ${namedText(maintenance)} says how it stands.`,
  });
}

/** What is told of a damaged repository: everything that the check found. */
export function damage({ status }: Maintenance): CommandProblem {
  const problems = status?.lastCheck?.problems ?? [];
  return new CommandProblem("the repository is damaged", {
    why: problems.join("; ") || "the check gives no details",
    fix: "Keep the storage as it is, and restore damaged objects from a copy of the repository. Nothing is cleaned up before a check finds no damage.",
  });
}
