import type { Author } from "../../kube/admission/access_review.ts";
import type { Verdict } from "../../kube/admission/review.ts";
import { type Webhook, webhook } from "../../kube/admission/webhook.ts";
import { type Found, isPresent } from "../../kube/cache/found.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

export interface GuardedDeletions<T extends KubeObject> {
  /** As in the paths of its webhooks. */
  readonly api: string;
  /** The group of the API, which tells its webhooks from those of others for the same kind. */
  readonly group: string;
  readonly resource: Resource<T>;
  /** CEL expressions that must hold for it to be asked. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Only this namespace is guarded. Default: all. */
  readonly watched?: string | undefined;
  namespace(name: string): Found<KubeObject>;
  /** Who knows what it does. */
  readonly isOperator: (author: Author) => boolean;
  /** Why an object must not be deleted: what it holds, and what to do. Default: nothing speaks against it. */
  objection?(object: T): string | undefined;
  /** What whoever deletes it should know. Default: nothing. */
  warning?(object: T): string | undefined;
}

/**
 * Refuses deletions that a person would regret, or says what they leave behind. A namespace that goes takes everything along, and while nobody serves
 * it everything may go: it is there against mistakes.
 */
export function deletionWebhook<T extends KubeObject>(guarded: GuardedDeletions<T>): Webhook {
  const { api, group, resource, matchConditions, watched } = guarded;
  return webhook<T>({
    type: "validating",
    name: `delete.${resource.plural}.${group}`,
    path: `/${api}/delete/${resource.plural}`,
    resource,
    operations: ["DELETE"],
    onFailure: "allow",
    timeoutSeconds: 5,
    ...(watched === undefined
      ? {}
      : { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": watched } } }),
    matchConditions: [BY_OTHERS, ...(matchConditions ?? [])],
    validate: ({ oldObject, user }) =>
      oldObject && !guarded.isOperator(user) ? checkDeletion(oldObject, guarded) : { allowed: true },
  });
}

/** Whoever empties a namespace that is being deleted is not asked about each object. */
const BY_OTHERS = {
  name: "not-with-its-namespace",
  expression: "request.userInfo.username != 'system:serviceaccount:kube-system:namespace-controller'",
};

export function checkDeletion<T extends KubeObject>(
  object: T,
  { namespace, objection, warning }: Pick<GuardedDeletions<T>, "namespace" | "objection" | "warning">,
): Verdict {
  const home = namespace(object.metadata.namespace ?? "");
  if (isPresent(home) && home.metadata.deletionTimestamp) return { allowed: true };
  if (object.metadata.deletionTimestamp) return { allowed: true };
  const message = objection?.(object);
  if (message !== undefined) return { allowed: false, code: 403, message };
  const warned = warning?.(object);
  return warned === undefined ? { allowed: true } : { allowed: true, warnings: [warned] };
}
