import { ApiError } from "../../../kube/api_error.ts";
import { Jobs } from "../../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Violation } from "../rules/violation.ts";
import type { Finding } from "./check.ts";
import type { TrialJob } from "./trial_jobs.ts";

/** The parts of an object that only the API server understands are shown to it, in a Job that is not stored. */
export async function tryJob(
  client: Pick<Writer, "create">,
  trial: TrialJob,
  options: CallOptions,
): Promise<readonly Finding[]> {
  try {
    await client.create(Jobs, trial.job, { ...options, dryRun: true, fieldValidation: "Strict" });
    return [];
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ApiError && (error.code === 422 || error.code === 400)) {
      return violationsOf(error, trial).map((refuse) => ({ refuse }));
    }
    return [{ warn: `${trial.field}: it could not be tried out: ${messageOf(error)}` }];
  }
}

/** As many are told; the rest shows once these are put right. */
const MOST_CAUSES = 5;

function violationsOf(error: ApiError, trial: TrialJob): readonly Violation[] {
  const causes = error.causes.filter(({ message }) => message);
  const said = causes.length > 0 ? causes : [{ field: "", message: error.said }];
  return said.slice(0, MOST_CAUSES).map(({ field = "", message = "" }) => ({
    reason: "InvalidPod",
    field: field === "" ? trial.field : renamed(field, trial),
    what: "no pod can be made from it",
    why: renamed(message, trial).replace(/\.$/, ""),
    fix: "Write it as Kubernetes has it in a pod",
  }));
}

/** The same words, with the object's fields for those of the Job. */
function renamed(text: string, { fields }: TrialJob): string {
  return fields.reduce((text, [inJob, inObject]) => text.replaceAll(pathBeginning(inJob), inObject), text);
}

/** Where a path begins with this, and not somewhere within another path. */
function pathBeginning(path: string): RegExp {
  return new RegExp(`(?<![\\w.\\]])${RegExp.escape(path)}(?![\\w])`, "g");
}
