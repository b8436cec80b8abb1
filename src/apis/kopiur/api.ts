import { claimWebhook, storageLookup } from "../../core/admission/claim_webhook.ts";
import type { Api, WebhookPorts } from "../../core/api.ts";
import { unregisterPopulator, unregisterRight } from "../../core/volumes/populator/register_populator.ts";
import { VOLUME_FINALIZERS } from "../../core/volumes/volume_finalizers.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "../../kinds/kopiur/finalizers.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { KINDS } from "../../kinds/kopiur/kinds.ts";
import type { Webhook } from "../../kube/admission/webhook.ts";
import type { Resource } from "../../kube/resource.ts";
import { deletionWebhooks } from "./admission/deletion_webhooks.ts";
import { kopiurWebhooks } from "./admission/kopiur_webhooks.ts";
import { cachedLookup } from "./admission/lookup.ts";
import { cachedStores } from "./cached_stores.ts";
import { kopiurCaches } from "./caches.ts";
import { kopiurControllers } from "./kopiur.ts";
import { kopiurCounters } from "./kopiur_counters.ts";
import { kopiurGauges } from "./kopiur_gauges.ts";
import { KOPIUR_RIGHTS } from "./kopiur_rights.ts";
import { RESTORES } from "./restore/restore_api.ts";
import { kopiurView } from "./view/kopiur_view.ts";

const OF_NAMESPACES = KINDS.map(({ resource }) => resource).filter(({ namespaced }) => namespaced);

/** The native API. */
export const kopiur: Api = {
  name: "kopiur",
  kinds: KINDS,
  crds: async () => (await import("../../kinds/kopiur/crds.ts")).kopiurCrds,
  rights: KOPIUR_RIGHTS,
  removal: {
    finalizers: [
      { resource: backupResource, finalizer: SNAPSHOT_CLEANUP },
      { resource: restoreResource, finalizer: SCALED_WORKLOADS },
      ...VOLUME_FINALIZERS,
    ],
    rights: [unregisterRight(restoreResource)],
    unregister: (client, call) => unregisterPopulator(client, restoreResource, call),
    keepsData: [
      { resource: backupResource as Resource, name: ANNOTATIONS.skipSnapshotCleanup, value: "true" },
    ],
  },
  people: {
    // Whoever may get a Backup or its BackupConfig may restore it elsewhere: that is more than to view a namespace.
    view: OF_NAMESPACES.filter(({ kind }) => kind !== "Backup" && kind !== "BackupConfig"),
    edit: OF_NAMESPACES,
  },
  storesIn: ({ informers, namespace, operatorNamespace }) =>
    cachedStores(kopiurCaches(informers, namespace), operatorNamespace),
  webhooks,
  controllers: ({ room, informers, counters }) => kopiurControllers(room, informers, counters?.deletions),
  gauges: ({ informers, namespace }) => kopiurGauges(informers, namespace),
  view: kopiurView,
  counters: kopiurCounters,
};

function webhooks({ informers, ...ports }: WebhookPorts): readonly Webhook[] {
  const { namespace } = ports;
  const caches = kopiurCaches(informers, namespace);
  const lookup = cachedLookup(caches, ports.storesIn, namespace);
  // An operator of one namespace may not look at classes, and populates no claims.
  const instead = `restore into a new claim with ${RESTORES.words.newClaim}`;
  const populated = { api: "kopiur", source: restoreResource, instead };
  const claims = namespace === undefined ? [claimWebhook(populated, storageLookup(informers))] : [];
  return [
    ...kopiurWebhooks({ ...ports, lookup }),
    ...claims,
    ...deletionWebhooks({ ...ports, lookup, caches }),
  ];
}
