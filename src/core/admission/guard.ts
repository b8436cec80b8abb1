import type { Author } from "../../kube/admission/access_review.ts";
import { type Webhook, webhook } from "../../kube/admission/webhook.ts";
import type { Writer } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import type { ConsentRules, Crossing } from "../consent/crossing.ts";
import { completed, validated } from "./answers.ts";
import type { Around, Change, Check } from "./check.ts";
import type { KnownMarks } from "./misspelt.ts";
import type { TrialJob } from "./trial_jobs.ts";

/** What the webhooks of all kinds of an API share. */
export interface GuardPorts<Lookup> {
  /** As in the paths of its webhooks. */
  readonly api: string;
  /** Of every replica: who leads does not matter, since nothing is stored. */
  readonly client: Pick<Writer, "create">;
  readonly lookup: Lookup;
  /** Who consents to references into other namespaces. */
  readonly consent: ConsentRules;
  /** The labels and annotations that there are: of others with the same prefix is warned. Default: of none. */
  readonly marks?: KnownMarks;
  readonly operatorNamespace: string;
  readonly isOperator: (author: Author) => boolean;
  /** Only this namespace is guarded. Default: all. */
  readonly namespace?: string | undefined;
}

export type Guarded = KubeObject & { readonly spec: object; readonly status?: object };

/** How a kind is guarded. */
export interface Guard<T extends Guarded, Lookup> {
  readonly resource: Resource<T>;
  readonly schema: Structural;
  readonly check: Check<T, Lookup>;
  /**
   * What becomes of a write while nobody can check it. Default `allow`: the controllers run the same rules again. What
   * is completed is always refused then, since a consent that nobody gave would count.
   */
  readonly unchecked?: "allow" | "deny";
  /** Its references into other namespaces. Default: it has none. */
  readonly crossings?: (object: T, lookup: Lookup) => readonly Crossing[];
  /** The operator wrote it on behalf of another namespace, whose rights are not the operator's. Default: no. */
  readonly isOnBehalf?: (object: T) => boolean;
  /** Fills in what depends on something else. */
  readonly complete?: (change: Change<T>, around: Around<Lookup>) => T;
  /** What only the API server can check. */
  readonly trials?: (change: Change<T>) => readonly TrialJob[];
}

/** The webhooks of a kind: one that checks, before it one that completes, where there is something to complete. */
export function guardWebhooks<T extends Guarded, Lookup>(
  guard: Guard<T, Lookup>,
  ports: GuardPorts<Lookup>,
): readonly Webhook[] {
  const { resource, complete, crossings } = guard;
  const { api, namespace } = ports;
  const { group, plural } = resource;
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
    name: `validate.${plural}.${group}`,
    path: `/${api}/validate/${plural}`,
    timeoutSeconds: 10,
    onFailure: guard.unchecked ?? "allow",
    validate: (request, signal) => validated(guard, ports, request, { signal }),
  });
  if (!complete && !crossings) return [validating];
  const mutating = webhook<T>({
    ...shared,
    type: "mutating",
    name: `complete.${plural}.${group}`,
    path: `/${api}/complete/${plural}`,
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
