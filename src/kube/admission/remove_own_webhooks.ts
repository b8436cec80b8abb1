import type { CallOptions, Reader, Writer } from "../client.ts";
import { findConfigurations } from "./ca_bundle.ts";

type Remover = Pick<Reader, "get"> & Pick<Writer, "delete">;

export interface OwnWebhooks {
  /** Of both configurations. */
  readonly name: string;
  /** Of the program's own Service. */
  readonly namespace: string;
}

/**
 * Takes webhooks back that an earlier start of this program has left. Those that lead to a Service of another namespace
 * stay: programs that look after a whole cluster share the name, and that one may well be served.
 */
export async function removeOwnWebhooks(
  client: Remover,
  own: OwnWebhooks,
  call: CallOptions = {},
): Promise<void> {
  await removeWhere(
    client,
    own,
    (places) => places.every((place) => place === undefined || place === own.namespace),
    call,
  );
}

/**
 * Takes webhooks back of a name that this program had before: nobody keeps their authority up to date any more. Only
 * those that lead to a Service of its namespace were its own. True when there were any.
 */
export function removeFormerWebhooks(
  client: Remover,
  former: OwnWebhooks,
  call: CallOptions = {},
): Promise<boolean> {
  return removeWhere(
    client,
    former,
    (places) => places.length > 0 && places.every((place) => place === former.namespace),
    call,
  );
}

/** Removes the configurations whose webhooks lead to Services of such namespaces; undefined is a URL. */
async function removeWhere(
  client: Remover,
  { name }: OwnWebhooks,
  isOwn: (places: readonly (string | undefined)[]) => boolean,
  call: CallOptions,
): Promise<boolean> {
  let removed = false;
  for (const { resource, configuration } of await findConfigurations(client, name, call)) {
    const { metadata, webhooks = [] } = configuration;
    if (!isOwn(webhooks.map(({ clientConfig: { service } }) => service?.namespace))) continue;
    const { uid } = metadata;
    await client.delete(resource, { name }, { ...call, ...(uid ? { uid } : {}) });
    removed = true;
  }
  return removed;
}
