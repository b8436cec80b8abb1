import type { Api } from "../../core/api.ts";
import { POD_VOLUME } from "../../kinds/velero/finalizers.ts";
import { podVolumeBackupResource } from "../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../kinds/velero/generated/pod_volume_restore.ts";
import { KINDS } from "../../kinds/velero/kinds.ts";
import { veleroControllers } from "./velero_controllers.ts";
import { veleroGauges } from "./velero_gauges.ts";
import { VELERO_RIGHTS } from "./velero_rights.ts";
import { veleroSettings } from "./velero_settings.ts";
import { veleroView } from "./view/velero_view.ts";

const RESOURCES = KINDS.map(({ resource }) => resource);

/** Velero's data path for the volumes of pods: the work of its node agent. */
export const velero: Api = {
  name: "velero",
  // Its objects are in Velero's namespace, and their pods in all others.
  wholeCluster: true,
  kinds: KINDS,
  crds: async () => (await import("../../kinds/velero/crds.ts")).veleroCrds,
  rights: VELERO_RIGHTS,
  uses: ["hostPath", "startSignal"],
  removal: {
    finalizers: [
      { resource: podVolumeBackupResource, finalizer: POD_VOLUME },
      { resource: podVolumeRestoreResource, finalizer: POD_VOLUME },
    ],
    rights: [],
  },
  // Whoever may create one reads or writes the volumes of any pod: that is for the administrators of Velero's namespace.
  people: { view: RESOURCES, edit: [] },
  checkSettings: (given) => void veleroSettings(given),
  webhooks: () => [],
  controllers: ({ room, informers }) => veleroControllers(room, informers),
  gauges: ({ informers, namespace }) => veleroGauges(informers, namespace),
  view: veleroView,
  counters: () => ({}),
};
