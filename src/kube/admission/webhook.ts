import type { LabelSelector } from "../label_selector.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { AdmissionRequest, Allowed, Denied, Operation, Verdict } from "./review.ts";

interface WebhookBase<T extends KubeObject> {
  /** Fully qualified and unique, such as `policies.holdfast.dev`: users see it in refusals. */
  readonly name: string;
  /** Where the API server posts to, such as `/validate/policies`. */
  readonly path: string;
  readonly resource: Resource<T>;
  /** Default: the object itself. A subresource is named (`status`), `*` is the object and all of them. */
  readonly subresource?: string;
  /** DELETE is asked about only when it is listed here. */
  readonly operations: readonly Operation[];
  /**
   * What happens when the webhook cannot tell: it throws, takes too long, or is not there at all. Default
   * `deny`, with a message that it is the webhook's fault; `allow` lets the request through with a warning.
   */
  readonly onFailure?: "deny" | "allow";
  /** How long the API server waits, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** CEL expressions that must all hold for the webhook to be called. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** Says yes or no. Has no side effects: the same request may come twice, or as a dry run. */
export interface ValidatingWebhook<T extends KubeObject = KubeObject> extends WebhookBase<T> {
  readonly type: "validating";
  readonly validate: (request: AdmissionRequest<T>, signal: AbortSignal) => Verdict | Promise<Verdict>;
}

/** Says no, or yes and how the object is to look. */
export interface MutatingWebhook<T extends KubeObject = KubeObject> extends WebhookBase<T> {
  readonly type: "mutating";
  /** It writes what the object needs before it is stored, and nothing on a dry run. Default: it never writes. */
  readonly writes?: true;
  readonly mutate: (request: AdmissionRequest<T>, signal: AbortSignal) => Mutation<T> | Promise<Mutation<T>>;
}

/** A mutating webhook's answer. */
export type Mutation<T extends KubeObject> =
  | Denied
  /** The object as it should be stored; absent to leave it as it is. Never changed in place. */
  | (Allowed & { readonly object?: T });

/** Either type, of objects of any kind. */
export type Webhook = ValidatingWebhook | MutatingWebhook;

/** Declares a webhook with the type of its objects, for a list of webhooks of any type. */
export function webhook<T extends KubeObject>(
  definition: ValidatingWebhook<T> | MutatingWebhook<T>,
): Webhook {
  // The router hands a webhook only objects of the resource that it names, whose shape T is.
  return definition as unknown as Webhook;
}
