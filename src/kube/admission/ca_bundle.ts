import { isNotFound } from "../api_error.ts";
import { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from "../builtin.ts";
import type { CallOptions, Reader, Writer } from "../client.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

/** What either kind of webhook configuration has, as far as trust goes, and whom it leads to. */
interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: {
    readonly name: string;
    readonly clientConfig: {
      readonly caBundle?: string;
      readonly service?: { readonly namespace: string; readonly name: string };
    };
  }[];
}

export interface Found {
  readonly resource: Resource<WebhookConfiguration>;
  readonly configuration: WebhookConfiguration;
}

/** The webhook configurations of that name as they were read. */
export type FoundConfigurations = readonly Found[];

const KINDS: readonly Resource<WebhookConfiguration>[] = [
  ValidatingWebhookConfigurations,
  MutatingWebhookConfigurations,
];

/** Reads the validating and the mutating configuration of that name; those that are missing are left out. */
export async function findConfigurations(
  reader: Pick<Reader, "get">,
  name: string,
  options?: CallOptions,
): Promise<FoundConfigurations> {
  const found: Found[] = [];
  for (const resource of KINDS) {
    try {
      found.push({ resource, configuration: await reader.get(resource, { name }, options) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return found;
}

/** True when every webhook trusts the authority. */
export function allTrust(found: FoundConfigurations, authority: string): boolean {
  return found.every(({ configuration }) =>
    (configuration.webhooks ?? []).every(({ clientConfig }) =>
      decoded(clientConfig.caBundle).includes(authority),
    ),
  );
}

/**
 * Gives the bundle to the webhooks that have another one. Rejects with a Conflict when a configuration is no longer
 * what was found: whoever changed it may have known a newer bundle.
 */
export async function writeCaBundle(
  writer: Pick<Writer, "update">,
  found: FoundConfigurations,
  bundle: string,
  options?: CallOptions,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString("base64");
  for (const { resource, configuration } of found) {
    const webhooks = configuration.webhooks ?? [];
    if (webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) continue;
    const trusting = webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle },
    }));
    await writer.update(resource, { ...configuration, webhooks: trusting }, options);
  }
}

function decoded(base64 = ""): string {
  return Buffer.from(base64, "base64").toString();
}
