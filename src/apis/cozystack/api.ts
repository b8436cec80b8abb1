import type { Api, ApiPorts, WebhookPorts } from "../../core/api.ts";
import { ARTIFACT, RUNNING } from "../../kinds/cozystack/finalizers.ts";
import { backupResource } from "../../kinds/cozystack/generated/backup.ts";
import { backupJobResource } from "../../kinds/cozystack/generated/backup_job.ts";
import type { Job } from "../../kinds/cozystack/generated/job.ts";
import { restoreJobResource } from "../../kinds/cozystack/generated/restore_job.ts";
import { KINDS } from "../../kinds/cozystack/kinds.ts";
import type { Webhook } from "../../kube/admission/webhook.ts";
import { findIn } from "../../kube/cache/found.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { cozystackWebhooks } from "./admission/cozystack_webhooks.ts";
import { cachedLookup } from "./admission/lookup.ts";
import { cozystackCaches } from "./caches.ts";
import { coreControllers } from "./core/core_controllers.ts";
import { lendingProblem } from "./core/lending_consent.ts";
import { cozystackGauges } from "./cozystack_gauges.ts";
import { COZYSTACK_RIGHTS } from "./cozystack_rights.ts";
import { Applications } from "./drivers/applications.ts";
import { type DriverWakes, driverControllers } from "./drivers/driver_controllers.ts";
import { jobDriver } from "./drivers/job/job_driver.ts";
import { veleroDriver } from "./drivers/velero/velero_driver.ts";
import { volumeDriver } from "./drivers/volume/volume_driver.ts";
import { cozystackView } from "./view/cozystack_view.ts";

const OF_NAMESPACES = KINDS.map(({ resource }) => resource).filter(({ namespaced }) => namespaced);

/** Plans by which applications are backed up, and the drivers that do it. */
export const cozystack: Api = {
  name: "cozystack",
  // The Volume driver works through objects of the native API.
  needs: ["kopiur"],
  // BackupClasses and strategies have no namespace.
  wholeCluster: true,
  kinds: KINDS,
  crds: async () => (await import("../../kinds/cozystack/crds.ts")).cozystackCrds,
  rights: COZYSTACK_RIGHTS,
  removal: {
    finalizers: [
      { resource: backupResource, finalizer: ARTIFACT },
      { resource: backupJobResource, finalizer: RUNNING },
      { resource: restoreJobResource, finalizer: RUNNING },
    ],
    rights: [],
  },
  // Tenants plan, run and restore in their namespace. Classes and strategies are the administrators', and Backups are
  // written by drivers: a restore trusts what they say.
  people: {
    view: OF_NAMESPACES,
    edit: OF_NAMESPACES.filter((one) => one !== (backupResource as Resource)),
    remove: [backupResource],
  },
  webhooks,
  controllers,
  gauges: ({ informers }) => cozystackGauges(informers),
  counters: () => ({}),
  view: cozystackView,
};

function webhooks({ informers, ...ports }: WebhookPorts): readonly Webhook[] {
  return cozystackWebhooks({ ...ports, lookup: cachedLookup(cozystackCaches(informers), informers) });
}

function controllers({ room, informers }: ApiPorts): readonly Runnable[] {
  const caches = cozystackCaches(informers);
  const ports = { room, informers, caches, applications: new Applications(room.client, room.clock) };
  const around = { namespace: (name: string) => findIn(caches.namespaces, { name }) };
  const forbidden = (strategy: Job) => lendingProblem(strategy, around, room.settings.guarded ?? false);
  const volumes = volumeDriver(informers);
  const ofVolumes = driverControllers(ports, volumes.driver);
  volumes.follow(ofVolumes);
  return [
    ...coreControllers(room, caches),
    ...all(ofVolumes),
    ...all(driverControllers(ports, jobDriver({ hooks: room.hooks, forbidden }))),
    ...all(driverControllers(ports, veleroDriver(room))),
  ];
}

function all({ backupJobs, restoreJobs, backups }: DriverWakes): readonly Runnable[] {
  return [backupJobs, restoreJobs, backups];
}
