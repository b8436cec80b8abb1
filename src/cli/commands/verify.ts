import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import { countText } from "../count_text.ts";
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

type Missing = NonNullable<NonNullable<NonNullable<Maintenance["status"]>["lastCheck"]>["missing"]>;

/** Who is hit: all that the status names. */
function hitText({ snapshots, hit = [] }: Missing): string {
  if (snapshots === undefined) return "the list of snapshots cannot be read";
  const named = hit.map(({ snapshotID, identity, backup, files, examples = [] }) => {
    const what = backup ? `Backup ${backup}` : `snapshot ${snapshotID} of ${identity}`;
    return `${what} (${[countText(files, "file"), ...examples].join(", ")})`;
  });
  const more = snapshots - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return `snapshots that are not whole: ${all.join("; ") || "none"}`;
}

/** What is told of a damaged repository: everything that the check found. */
export function damage({ status }: Maintenance): CommandProblem {
  const { problems = [], missing } = status?.lastCheck ?? {};
  const found = [...problems, ...(missing ? [hitText(missing)] : [])];
  return new CommandProblem("the repository is damaged", {
    why: found.join("; ") || "the check gives no details",
    fix: "Keep the storage as it is, and restore damaged objects from a copy of the repository. Nothing is cleaned up before a check finds no damage.",
  });
}
