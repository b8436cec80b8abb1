import { GROUP } from "../../../kinds/kopiur/group.ts";
import { type Webhook, webhook } from "../../../kube/admission/webhook.ts";
import type { Writer } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Structural } from "../../../kube/schema/structural.ts";
import type { Author } from "./access_review.ts";
import type { Around, Change, Check } from "./check.ts";
import { completed } from "./completed.ts";
import type { Crossings } from "./crossings.ts";
import type { Lookup } from "./lookup.ts";
import type { TrialJob } from "./trial_jobs.ts";
import { validated } from "./validated.ts";

/** What the webhooks of all kinds share. */
export interface GuardPorts {
  /** Of every replica: who leads does not matter, since nothing is stored. */
  readonly client: Pick<Writer, "create">;
  readonly lookup: Lookup;
  readonly operatorNamespace: string;
  readonly isOperator: (author: Author) => boolean;
  /** Only this namespace is guarded. Default: all. */
  readonly namespace?: string | undefined;
}

export type Guarded = KubeObject & { readonly spec: object; readonly status?: object };

/** How a kind is guarded. */
export interface Guard<T extends Guarded> {
  readonly resource: Resource<T>;
  readonly schema: Structural;
  readonly check: Check<T>;
  /**
   * What becomes of a write while nobody can check it. Default `allow`: the controllers run the same rules again. What
   * is completed is always refused then, since a consent that nobody gave would count.
   */
  readonly unchecked?: "allow" | "deny";
  /** Its references into other namespaces. Default: it has none. */
  readonly crossings?: Crossings<T>;
  /** Fills in what depends on something else. */
  readonly complete?: (change: Change<T>, around: Around) => T;
  /** What only the API server can check. */
  readonly trials?: (change: Change<T>) => readonly TrialJob[];
}

/** The webhooks of a kind: one that checks, before it one that completes, where there is something to complete. */
export function guardWebhooks<T extends Guarded>(guard: Guard<T>, ports: GuardPorts): readonly Webhook[] {
  const { resource, complete, crossings } = guard;
  const { namespace } = ports;
  const shared = {
    resource,
    operations: ["CREATE", "UPDATE"],
    matchConditions: [NOT_GOING],
    ...(namespace !== undefined && resource.namespaced
      ? { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } }
      : {}),
  } as const;
  const validating = webhook<T>({
    ...shared,
    type: "validating",
    name: `validate.${resource.plural}.${GROUP}`,
    path: `/kopiur/validate/${resource.plural}`,
    timeoutSeconds: 10,
    onFailure: guard.unchecked ?? "allow",
    validate: (request, signal) => validated(guard, ports, request, { signal }),
  });
  if (!complete && !crossings) return [validating];
  const mutating = webhook<T>({
    ...shared,
    type: "mutating",
    name: `complete.${resource.plural}.${GROUP}`,
    path: `/kopiur/complete/${resource.plural}`,
    timeoutSeconds: 5,
    onFailure: "deny",
    mutate: (request, signal) => completed(guard, ports, request, { signal }),
  });
  return [mutating, validating];
}

/** What is being deleted always gets away, also while nobody serves the webhooks. */
const NOT_GOING = {
  name: "not-being-deleted",
  expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
};
