import type { Api, ApiPorts, WebhookPorts } from "../../core/api.ts";
import { ClaimTurns } from "../../core/work/claim_turns.ts";
import { workloadCaches } from "../../core/workloads/scaling/workload_caches.ts";
import { ANNOTATIONS } from "../../kinds/autorestore/annotations.ts";
import { CLAIMED_PVCS, SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "../../kinds/autorestore/finalizers.ts";
import { backupConfigResource } from "../../kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../kinds/autorestore/generated/restic_backup.ts";
import { resticRestoreResource } from "../../kinds/autorestore/generated/restic_restore.ts";
import { KINDS } from "../../kinds/autorestore/kinds.ts";
import type { Webhook } from "../../kube/admission/webhook.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { autorestoreWebhooks } from "./admission/autorestore_webhooks.ts";
import { cachedLookup } from "./admission/lookup.ts";
import { AUTORESTORE_RIGHTS } from "./autorestore_rights.ts";
import { backupController } from "./backup/backup_controller.ts";
import { deletionGuard } from "./backup/deletion_guard.ts";
import { autorestoreCaches } from "./caches.ts";
import { configController } from "./config/config_controller.ts";
import { autorestoreGauges } from "./gauges.ts";
import type { AutorestorePorts } from "./ports.ts";
import { repositoryController } from "./repository/repository_controller.ts";
import { restoreController } from "./restore/restore_controller.ts";
import { cachedStores } from "./stores.ts";
import { autorestoreView } from "./view/autorestore_view.ts";

const RESOURCES = KINDS.map(({ resource }) => resource);

/** AutoRestore: PVCs by selectors, restic repositories as prioritised targets, automatic restores. */
export const autorestore: Api = {
  name: "autorestore",
  kinds: KINDS,
  crds: async () => (await import("../../kinds/autorestore/crds.ts")).autorestoreCrds,
  rights: AUTORESTORE_RIGHTS,
  removal: {
    finalizers: [
      { resource: backupConfigResource, finalizer: CLAIMED_PVCS },
      { resource: resticBackupResource, finalizer: SNAPSHOT_CLEANUP },
      { resource: resticRestoreResource, finalizer: SCALED_WORKLOADS },
    ],
    rights: [],
    keepsData: [
      { resource: resticBackupResource as Resource, name: ANNOTATIONS.skipSnapshotCleanup, value: "true" },
    ],
  },
  people: {
    // Whoever may get a ResticBackup may restore it: that is more than to view a namespace.
    view: RESOURCES.filter(({ kind }) => kind !== "ResticBackup"),
    edit: RESOURCES,
  },
  storesIn: ({ informers, namespace }) => cachedStores(autorestoreCaches(informers, namespace)),
  webhooks,
  controllers,
  gauges: ({ informers, namespace }) => autorestoreGauges(autorestoreCaches(informers, namespace)),
  view: autorestoreView,
  counters: () => ({}),
};

function webhooks({ informers, ...ports }: WebhookPorts): readonly Webhook[] {
  const caches = autorestoreCaches(informers, ports.namespace);
  const lookup = cachedLookup(caches, ports.storesIn, ports.namespace);
  return autorestoreWebhooks({
    ...ports,
    lookup,
    repositories: caches.repositories,
    backups: caches.backups,
  });
}

function controllers({ room, informers }: ApiPorts): readonly Runnable[] {
  const caches = autorestoreCaches(informers, room.namespace);
  const ports: AutorestorePorts = {
    ...room,
    caches,
    workloads: workloadCaches(informers, room.namespace),
    turns: new ClaimTurns(room.clock),
    deletionGuard: deletionGuard(caches, room.clock),
  };
  return [
    repositoryController(ports),
    backupController(ports),
    restoreController(ports),
    configController(ports),
  ];
}
