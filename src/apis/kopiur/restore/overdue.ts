import { durationMs } from "../../../core/policy/duration.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { type Problem, refused } from "../problem.ts";

/** What is waited for longer than the policy allows is not waited for any more. `since`: in milliseconds since 1970. */
export function overdue(
  { spec }: Restore,
  problem: Problem,
  { since, now }: { readonly since: number | undefined; readonly now: number },
): Problem {
  if (problem.reason !== "BackupNotFound" && problem.reason !== "ConfigNotFound") return problem;
  const { waitTimeout } = spec.policy;
  if (since === undefined || now - since < durationMs(waitTimeout)) return problem;
  return refused(problem.reason, `${problem.message} It did not come within ${waitTimeout}.`);
}
