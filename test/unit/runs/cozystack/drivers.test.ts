import {
  VELERO_BACKUPS,
  VELERO_DELETIONS,
  VELERO_RESTORES,
} from "../../../../src/apis/cozystack/drivers/velero/velero_driver.ts";
import { jobResource } from "../../../../src/kinds/cozystack/generated/job.ts";
import { veleroResource } from "../../../../src/kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { Pods } from "../../../../src/kube/builtin.ts";
import { timestamp } from "../../../../src/kube/write/timestamp.ts";
import { FOREIGN, ForeignDriver } from "../../../scenarios/foreign_driver.ts";
import { type CozystackWorld, NAMESPACE } from "./cozystack_world.ts";
import { driverContract, type Outside } from "./driver_contract.ts";

const OURS = "strategy.backups.cozystack.io";
/** The moments of a backup, from its first request to its last. */
const MOMENTS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

driverContract({
  name: "Volume, over the native API",
  strategyRef: { apiGroup: OURS, kind: "Volume", name: "volumes" },
  diesAt: MOMENTS,
  prepare: async (world) =>
    void (await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } })),
  outside: async (world, how) => {
    if (how === "waits") return;
    for (const object of await world.all(backupResource)) {
      if (object.status?.phase) continue;
      const snapshots = ["data-db-0", "data-db-1"].map((pvc) => ({
        pvc,
        kopiaSnapshotID: `id-${pvc}`,
        identity: { username: "db", hostname: NAMESPACE, sourcePath: `/${pvc}` },
        root: `k-${pvc}`,
        sizeBytes: 5,
      }));
      const status = how === "well" ? { phase: "Succeeded", snapshots } : failed(world);
      await world.patch(backupResource, object, { status }, "status");
    }
    for (const object of await world.all(restoreResource)) {
      const status = how === "well" ? { phase: "Completed" } : failed(world);
      if (!object.status?.phase) await world.patch(restoreResource, object, { status }, "status");
    }
  },
});

const template = {
  spec: { containers: [{ name: "dump", image: "dump", args: ["{{ .Mode }}", "{{ .Parameters.level }}"] }] },
};

driverContract({
  name: "Job, over pods",
  strategyRef: { apiGroup: OURS, kind: "Job", name: "dumps" },
  diesAt: MOMENTS,
  prepare: async (world) => {
    const artifact = { uri: "s3://dumps/{{ .Parameters.level }}/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template, deleteTemplate: template, artifact });
  },
  outside: async (world, how) => {
    if (how === "waits") return;
    for (const pod of await world.all(Pods)) {
      if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") continue;
      const exitCode = how === "well" ? 0 : 3;
      const state = { terminated: { exitCode, startedAt: now(world), finishedAt: now(world) } };
      const container = { name: "dump", image: "dump", imageID: "", ready: false, restartCount: 0, state };
      const phase = how === "well" ? "Succeeded" : "Failed";
      await world.patch(Pods, pod, { status: { phase, containerStatuses: [container] } }, "status");
    }
  },
});

driverContract({
  name: "Velero, over its objects",
  strategyRef: { apiGroup: OURS, kind: "Velero", name: "velero" },
  diesAt: MOMENTS,
  prepare: async (world) =>
    void (await world.create(veleroResource, "velero", {
      backupTemplate: { spec: { storageLocation: "{{ .Parameters.level }}" } },
    })),
  outside: async (world, how) => {
    if (how === "waits") return;
    const phase = how === "well" ? "Completed" : "Failed";
    for (const resource of [VELERO_BACKUPS, VELERO_RESTORES]) {
      for (const object of await world.all(resource)) {
        if (!object.status?.phase) await world.patch(resource, object, { status: { phase } });
      }
    }
    for (const { metadata, spec } of await world.all(VELERO_DELETIONS)) {
      const { backupName: name } = spec as { readonly backupName: string };
      await world.client.delete(VELERO_BACKUPS, { namespace: metadata.namespace, name });
      await world.client.delete(VELERO_DELETIONS, metadata);
    }
  },
});

/** What a driver needs by the document, and no more. */
const CONTRACT = [
  {
    apiGroups: ["backups.cozystack.io"],
    resources: ["backupjobs", "restorejobs", "backupclasses", "backups"],
    verbs: ["get", "list", "watch"],
  },
  { apiGroups: ["backups.cozystack.io"], resources: ["backups"], verbs: ["create"] },
  {
    apiGroups: ["backups.cozystack.io"],
    resources: ["backupjobs/status", "restorejobs/status", "backups/status"],
    verbs: ["patch"],
  },
] as const;

let tape: Outside = "well";

driverContract({
  name: "of a third party, with rights of its own",
  strategyRef: FOREIGN,
  prepare: async () => {},
  outside: async (_, how) => {
    tape = how;
  },
  run: (world) => {
    tape = "well";
    return new ForeignDriver(world.clientWith(CONTRACT), {
      namespace: NAMESPACE,
      clock: world.clock,
      torn: () => tape === "badly",
    });
  },
});

function now({ clock }: CozystackWorld): string {
  return timestamp(clock.now());
}

function failed(world: CozystackWorld): object {
  const message = "Told to fail.";
  const condition = {
    type: "Ready",
    status: "False",
    reason: "Told",
    message,
    lastTransitionTime: now(world),
  };
  return { phase: "Failed", conditions: [condition] };
}
