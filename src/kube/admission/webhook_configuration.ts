import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from "../builtin.ts";
import type { CallOptions, Writer } from "../client.ts";
import type { Webhook } from "./webhook.ts";

/** How the API server reaches the webhooks. */
export type WebhookReach =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, without a path. */
  | { readonly url: string };

export interface WebhookConfigurationOptions {
  /** Of the validating and the mutating configuration alike. */
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  readonly reach: WebhookReach;
  /** In PEM; absent when somebody else fills it in. */
  readonly caBundle?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  /** Such as cert-manager's, by which it fills in the bundle. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The webhook configurations as applied: one of each kind, with the webhooks of that type. */
export function webhookConfigurations(options: WebhookConfigurationOptions) {
  const { name, webhooks, labels, annotations } = options;
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  const ofType = (type: Webhook["type"]) => ({
    metadata,
    webhooks: webhooks.filter((webhook) => webhook.type === type).map((webhook) => entry(webhook, options)),
  });
  return { validating: ofType("validating"), mutating: ofType("mutating") };
}

function entry(webhook: Webhook, { reach, caBundle }: WebhookConfigurationOptions) {
  const { resource, subresource, namespaceSelector, objectSelector, matchConditions } = webhook;
  const target =
    "url" in reach
      ? { url: `${reach.url}${webhook.path}` }
      : { service: { port: 443, ...reach.service, path: webhook.path } };
  return {
    name: webhook.name,
    admissionReviewVersions: ["v1"],
    sideEffects: webhook.type === "mutating" && webhook.writes ? "NoneOnDryRun" : "None",
    failurePolicy: webhook.onFailure === "allow" ? "Ignore" : "Fail",
    matchPolicy: "Equivalent",
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    rules: [
      {
        apiGroups: [resource.group],
        apiVersions: [resource.version],
        operations: [...webhook.operations],
        resources: resourcesOf(resource.plural, subresource),
        scope: resource.namespaced ? "Namespaced" : "Cluster",
      },
    ],
    clientConfig: { ...target, ...(caBundle && { caBundle: Buffer.from(caBundle).toString("base64") }) },
    ...(namespaceSelector && { namespaceSelector: mutable(namespaceSelector) }),
    ...(objectSelector && { objectSelector: mutable(objectSelector) }),
    ...(matchConditions && { matchConditions: mutable(matchConditions) }),
  };
}

function resourcesOf(plural: string, subresource: string | undefined): string[] {
  if (subresource === undefined) return [plural];
  return subresource === "*" ? [plural, `${plural}/*`] : [`${plural}/${subresource}`];
}

/** The published types know no readonly lists. */
type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

function mutable<T>(value: T): Mutable<T> {
  return structuredClone(value) as Mutable<T>;
}

/** Brings the configurations to what is wanted; one without webhooks is deleted. */
export async function ensureWebhooks(
  writer: Pick<Writer, "apply" | "delete">,
  options: WebhookConfigurationOptions & { readonly fieldManager: string },
  call: CallOptions = {},
): Promise<void> {
  const { validating, mutating } = webhookConfigurations(options);
  const { name } = options;
  const apply = { ...call, fieldManager: options.fieldManager, force: true };
  if (validating.webhooks.length > 0) await writer.apply(ValidatingWebhookConfigurations, validating, apply);
  else await writer.delete(ValidatingWebhookConfigurations, { name }, call);
  if (mutating.webhooks.length > 0) await writer.apply(MutatingWebhookConfigurations, mutating, apply);
  else await writer.delete(MutatingWebhookConfigurations, { name }, call);
}

/**
 * The first step of removing the product: without its server, webhooks that deny on failure would refuse every
 * write to what they guard, its own removal included. True when there was something to remove.
 */
export async function removeWebhooks(
  writer: Pick<Writer, "delete">,
  name: string,
  call?: CallOptions,
): Promise<boolean> {
  const validating = await writer.delete(ValidatingWebhookConfigurations, { name }, call);
  const mutating = await writer.delete(MutatingWebhookConfigurations, { name }, call);
  return validating || mutating;
}
