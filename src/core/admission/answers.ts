import { may } from "../../kube/admission/access_review.ts";
import type { AdmissionRequest, Verdict } from "../../kube/admission/review.ts";
import type { Mutation } from "../../kube/admission/webhook.ts";
import type { CallOptions } from "../../kube/client.ts";
import { validate } from "../../kube/schema/validate.ts";
import { jsonEqual } from "../../lib/json.ts";
import { consentsOf, withConsents } from "../consent/consents.ts";
import { recordConsents } from "../consent/record_consents.ts";
import { type Around, type Change, examine, refusal } from "./check.ts";
import type { Guard, Guarded, GuardPorts } from "./guard.ts";
import { misspelt } from "./misspelt.ts";
import { tryJob } from "./trial_jobs.ts";

/** The answer of a webhook that checks objects. */
export async function validated<T extends Guarded, Lookup>(
  { check, trials }: Guard<T, Lookup>,
  ports: GuardPorts<Lookup>,
  request: AdmissionRequest<T>,
  options: CallOptions,
): Promise<Verdict> {
  const change = changeOf(request);
  if (!change || isUntouched(change)) return { allowed: true };
  const report = examine(check, change, aroundOf(ports, request));
  const jobs = trials?.(change) ?? [];
  const tried = (await Promise.all(jobs.map((job) => tryJob(ports.client, job, options)))).flat();
  const errors = [...report.errors, ...tried.flatMap((one) => ("refuse" in one ? [one.refuse] : []))];
  const warnings = [
    ...report.warnings,
    ...tried.flatMap((one) => ("warn" in one ? [one.warn] : [])),
    ...(ports.marks ? misspelt(change.object, ports.marks) : []),
  ];
  if (errors.length === 0) return { allowed: true, warnings };
  return { allowed: false, ...refusal(errors), warnings };
}

/** The answer of a webhook that completes objects. */
export async function completed<T extends Guarded, Lookup>(
  { schema, complete, crossings = () => [], isOnBehalf = () => false }: Guard<T, Lookup>,
  ports: GuardPorts<Lookup>,
  request: AdmissionRequest<T>,
  options: CallOptions,
): Promise<Mutation<T>> {
  const change = changeOf(request);
  const sent = request.object;
  if (!change || !sent) return { allowed: true };
  const { object: given, old } = change;
  // What has not the shape of its kind is refused after this, but never gets a consent that nobody gave.
  if (validate(schema, given, old).length > 0) {
    return { allowed: true, object: withConsents(sent, [...consentsOf(old)]) };
  }
  const around = aroundOf(ports, request);
  const { client, lookup, consent } = ports;
  const { user: author } = request;
  const object = complete ? complete(change, around) : given;
  const { metadata, spec } = await recordConsents({
    object,
    old,
    crossings: crossings(object, lookup),
    before: old ? crossings(old, lookup) : [],
    isOperator: around.isOperator,
    isOnBehalf: isOnBehalf(object),
    rules: consent,
    may: (asked) => may(client, { author, ...asked }, options),
  });
  return { allowed: true, object: { ...sent, metadata, spec } };
}

/** The change as it will be stored: in its namespace, and with the status that it has, not the one that was sent. */
function changeOf<T extends Guarded>(request: AdmissionRequest<T>): Change<T> | undefined {
  const { object: sent, oldObject: old, namespace } = request;
  if (!sent) return undefined;
  const { status: _, ...rest } = sent;
  const metadata = { ...sent.metadata, ...(namespace ? { namespace } : {}) };
  const object = { ...rest, metadata, ...(old?.status ? { status: old.status } : {}) } as unknown as T;
  return { object, old };
}

function aroundOf<Lookup>(
  ports: GuardPorts<Lookup>,
  { user }: Pick<AdmissionRequest, "user">,
): Around<Lookup> {
  const { lookup, operatorNamespace, isOperator, namespace } = ports;
  return { lookup, operatorNamespace, isOperator: isOperator(user), namespace };
}

/** Finalizers, labels and the like come and go without a look. */
function isUntouched<T extends Guarded>({ object, old }: Change<T>): boolean {
  if (!old) return false;
  return jsonEqual(object.spec, old.spec) && jsonEqual(object.metadata.annotations, old.metadata.annotations);
}
