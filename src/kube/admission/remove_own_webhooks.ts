import type { CallOptions, Reader, Writer } from "../client.ts";
import { findConfigurations } from "./ca_bundle.ts";

/**
 * Takes webhooks back that an earlier start of this program has left. Those that lead to a Service of another namespace
 * stay: programs that look after a whole cluster share the name, and that one may well be served.
 */
export async function removeOwnWebhooks(
  client: Pick<Reader, "get"> & Pick<Writer, "delete">,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  call: CallOptions = {},
): Promise<void> {
  for (const { resource, configuration } of await findConfigurations(client, name, call)) {
    const { metadata, webhooks = [] } = configuration;
    const elsewhere = webhooks.some(
      ({ clientConfig: { service } }) => service !== undefined && service.namespace !== namespace,
    );
    const { uid } = metadata;
    if (!elsewhere) await client.delete(resource, { name }, { ...call, ...(uid ? { uid } : {}) });
  }
}
