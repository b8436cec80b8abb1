import { GROUP } from "../../../kinds/kopiur/group.ts";
import { removeFormerWebhooks, removeOwnWebhooks } from "../../../kube/admission/remove_own_webhooks.ts";
import { removeWebhooks } from "../../../kube/admission/webhook_configuration.ts";
import { otherWrites } from "../../../kube/adoption/other_writers.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { resourceName } from "../../../kube/resource.ts";
import { type ReleaseOptions, releaseAll } from "../../../kube/write/release_all.ts";
import type { Release } from "../../../kube/write/remove_crds.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../observe/log.ts";
import { formerWebhooksName, kopiurWebhooksName } from "../admission/kopiur_admission.ts";
import { KOPIUR_FINALIZERS } from "../kopiur_finalizers.ts";
import { unregisterPopulator } from "../restore/populate/register_populator.ts";
import { takeCrdsAlong } from "./take_crds_along.ts";

export interface KopiurLeaving {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this API was served at the end. */
  readonly served: boolean;
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
  readonly othersGoneSince?: number;
}

/**
 * What is left to do once the operator is gone for good: nobody will serve the webhooks, nor take finalizers off. No
 * snapshot is deleted, and no object but those that speak for the operator, unless the CRDs are to go. Of an API that
 * was not served any more the webhooks of earlier days are all: its objects are somebody else's, and the finalizers on
 * them whoever's that serves it.
 */
export async function letGoOfKopiur(leaving: KopiurLeaving, call: CallOptions = {}): Promise<void> {
  const { client, log, served, operatorNamespace, namespace, adopt, crdsOf } = leaving;
  const webhooks = kopiurWebhooksName(namespace);
  const former = { name: formerWebhooksName(operatorNamespace, namespace), namespace: operatorNamespace };
  await removeFormerWebhooks(client, former, call);
  if (!served) {
    await removeOwnWebhooks(client, { name: webhooks, namespace: operatorNamespace }, call);
    log.info({ webhooks }, "the API was not served: its objects and CRDs stay as they are");
    return;
  }
  // Without a server they would refuse what comes next.
  await removeWebhooks(client, webhooks, call);
  const scope = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(adopt ? { unless: othersWork(adopt) } : {}),
  };
  for (const held of KOPIUR_FINALIZERS) {
    const released = await releaseAll(client, held, { ...scope, ...call });
    log.info({ kind: resourceName(held.resource), finalizer: held.finalizer, released }, "let go");
  }
  await removeWebhooks(client, webhooks, call);
  if (namespace === undefined) await unregisterPopulator(client, call);
  if (crdsOf) await takeCrdsAlong(leaving, crdsOf, call);
}

/** Whoever writes the status of an object looks after it, and takes its finalizers off. */
function othersWork({ othersGoneSince }: AdoptedObjects): NonNullable<ReleaseOptions["unless"]> {
  return (resource, object) =>
    resource.group === GROUP && otherWrites(resource, object, othersGoneSince).length > 0;
}
