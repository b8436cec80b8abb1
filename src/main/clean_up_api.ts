import { type Api, webhooksName } from "../core/api.ts";
import { removeFormerWebhooks, removeOwnWebhooks } from "../kube/admission/remove_own_webhooks.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import { otherWrites } from "../kube/adoption/other_writers.ts";
import type { CallOptions, Client } from "../kube/client.ts";
import { resourceName } from "../kube/resource.ts";
import { type ReleaseOptions, releaseAll } from "../kube/write/release_all.ts";
import type { Release } from "../kube/write/remove_crds.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../observe/log.ts";
import { formerWebhooks } from "./operator_admission.ts";
import { removeApiCrds } from "./remove_api_crds.ts";

export interface Cleanup {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The APIs that were served at the end. */
  readonly served: readonly Api[];
  readonly operatorNamespace: string;
  /** Only this namespace was looked at. Default: all. */
  readonly namespace?: string | undefined;
  /** The CRDs may be somebody else's, and so may be objects with the same finalizers. */
  readonly adopt?: AdoptedObjects | undefined;
  /** Whose CRDs go, and with them every object of these kinds. Default: all stay. */
  readonly crdsOf?: Release | undefined;
}

export interface AdoptedObjects {
  /** Since when no other controller works on them, in milliseconds since 1970. Default: there never was one. */
  readonly previousControllerStoppedAt?: number;
}

/**
 * What is left to do once the operator is gone for good: nobody will serve the webhooks, nor take finalizers off. No
 * snapshot is deleted, and no object but those that speak for the operator, unless the CRDs are to go. Of an API that
 * was not served any more the webhooks of earlier days are all: its objects are somebody else's, and the finalizers on
 * them whoever's that serves it.
 */
export async function cleanUpApi(api: Api, cleanup: Cleanup, call: CallOptions = {}): Promise<void> {
  const { client, log, served, operatorNamespace, namespace, adopt, crdsOf } = cleanup;
  const { removal } = api;
  const webhooks = webhooksName(api.name, namespace);
  await removeFormerWebhooks(client, formerWebhooks(api, operatorNamespace, namespace), call);
  if (!served.includes(api)) {
    await removeOwnWebhooks(client, { name: webhooks, namespace: operatorNamespace }, call);
    log.info({ webhooks }, "the API was not served: its objects and CRDs stay as they are");
    return;
  }
  // Without a server they would refuse what comes next.
  await removeWebhooks(client, webhooks, call);
  const scope = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(adopt ? { unless: othersWork(api, adopt) } : {}),
  };
  for (const held of removal.finalizers) {
    const released = await releaseAll(client, held, { ...scope, ...call });
    log.info(
      { kind: resourceName(held.resource), finalizer: held.finalizer, released },
      "finalizers removed",
    );
  }
  await removeWebhooks(client, webhooks, call);
  if (namespace === undefined) await removal.unregister?.(client, call);
  if (crdsOf) await removeApiCrds(api, cleanup, crdsOf, call);
}

/** Whoever writes the status of an object looks after it, and takes its finalizers off. */
function othersWork(
  { kinds }: Api,
  { previousControllerStoppedAt }: AdoptedObjects,
): NonNullable<ReleaseOptions["unless"]> {
  const groups = new Set(kinds.map(({ resource }) => resource.group));
  return (resource, object) =>
    groups.has(resource.group) && otherWrites(resource, object, previousControllerStoppedAt).length > 0;
}
