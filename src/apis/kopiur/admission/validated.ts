import type { AdmissionRequest, Verdict } from "../../../kube/admission/review.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { aroundOf, changeOf } from "./change_of.ts";
import { type Change, examine } from "./check.ts";
import type { Guard, Guarded, GuardPorts } from "./guard.ts";
import { refusal } from "./refusal.ts";
import { tryJob } from "./try_job.ts";

/** The answer of a webhook that checks objects. */
export async function validated<T extends Guarded>(
  { check, trials }: Guard<T>,
  ports: GuardPorts,
  request: AdmissionRequest<T>,
  options: CallOptions,
): Promise<Verdict> {
  const change = changeOf(request);
  if (!change || isUntouched(change)) return { allowed: true };
  const report = examine(check, change, aroundOf(ports, request));
  const jobs = trials?.(change) ?? [];
  const tried = (await Promise.all(jobs.map((job) => tryJob(ports.client, job, options)))).flat();
  const errors = [...report.errors, ...tried.flatMap((one) => ("refuse" in one ? [one.refuse] : []))];
  const warnings = [...report.warnings, ...tried.flatMap((one) => ("warn" in one ? [one.warn] : []))];
  if (errors.length === 0) return { allowed: true, warnings };
  return { allowed: false, ...refusal(errors), warnings };
}

/** Finalizers, labels and the like come and go without a look. */
function isUntouched<T extends Guarded>({ object, old }: Change<T>): boolean {
  if (!old) return false;
  return jsonEqual(object.spec, old.spec) && jsonEqual(object.metadata.annotations, old.metadata.annotations);
}
