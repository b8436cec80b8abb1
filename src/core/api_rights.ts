import { webhookRemovalRights, webhookRights } from "../kube/admission/webhook_rights.ts";
import { Namespaces } from "../kube/builtin.ts";
import type { Resource } from "../kube/resource.ts";
import {
  type Condition,
  LISTED_WHERE_NOT_STREAMED,
  OWN_NAMESPACE,
  type Right,
  type Verb,
} from "../kube/rights.ts";
import { certificatesName, webhooksName } from "./api.ts";

/** What the controllers of an API read and write of a kind of its own; beyond that, `more`. */
export function ownKindRights(
  resource: Resource,
  more: readonly Verb[] = [],
  when: readonly Condition[] = [],
): readonly Right[] {
  return [
    {
      resource,
      verbs: ["get", "list", "watch", ...more],
      when,
      why: "objects of this API are carried out",
      unseen: LISTED_WHERE_NOT_STREAMED,
    },
    { resource, subresource: "status", verbs: ["patch"], when, why: "objects of this API say how they are" },
  ];
}

/** What is read of namespaces: of all of them, or of the operator's own alone. */
export function namespaceRights(why: string): readonly Right[] {
  const watched = {
    resource: Namespaces,
    verbs: ["list", "watch"],
    unseen: LISTED_WHERE_NOT_STREAMED,
  } as const;
  const own = "annotations of the namespace say what movers may do";
  return [
    { ...watched, when: ["cluster"], why },
    { ...watched, names: [OWN_NAMESPACE], when: ["namespaced"], why: own },
  ];
}

/** What serving the webhooks of an API asks for, whichever the scope. */
export function admissionRights(api: string): readonly Right[] {
  return ([["cluster"], ["namespaced", OWN_NAMESPACE]] as const).flatMap(([when, namespace]) =>
    webhookRights({
      configuration: webhooksName(api, namespace),
      secret: certificatesName(namespace),
      when: [when],
    }),
  );
}

/**
 * What taking the webhooks of an API back asks for: not only where it is served, as it may have been before, and those
 * of either scope, which may have been another.
 */
export function admissionRemovalRights(api: string): readonly Right[] {
  return [webhooksName(api), webhooksName(api, OWN_NAMESPACE)].flatMap(webhookRemovalRights);
}
