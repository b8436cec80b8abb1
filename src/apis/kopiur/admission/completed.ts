import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import type { Mutation } from "../../../kube/admission/webhook.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { validate } from "../../../kube/schema/validate.ts";
import { consentsOf, withConsents } from "../rules/consents.ts";
import { mayGet } from "./access_review.ts";
import { aroundOf, changeOf } from "./change_of.ts";
import type { Guard, Guarded, GuardPorts } from "./guard.ts";
import { CROSSED_RESOURCES, recordConsents } from "./record_consents.ts";

/** The answer of a webhook that completes objects. */
export async function completed<T extends Guarded>(
  { schema, complete, crossings = () => [] }: Guard<T>,
  ports: GuardPorts,
  request: AdmissionRequest<T>,
  options: CallOptions,
): Promise<Mutation<T>> {
  const change = changeOf(request);
  const sent = request.object;
  if (!change || !sent) return { allowed: true };
  const { object, old } = change;
  // What has not the shape of its kind is refused after this, but never gets a consent that nobody gave.
  if (validate(schema, object, old).length > 0) {
    return { allowed: true, object: withConsents(sent, [...consentsOf(old)]) };
  }
  const around = aroundOf(ports, request);
  const { user: author } = request;
  const { metadata, spec } = await recordConsents({
    change: { object: complete ? complete(change, around) : object, old },
    crossings,
    around,
    mayGet: ({ kind, namespace, name }) =>
      mayGet(ports.client, { author, resource: CROSSED_RESOURCES[kind], namespace, name }, options),
  });
  return { allowed: true, object: { ...sent, metadata, spec } };
}
