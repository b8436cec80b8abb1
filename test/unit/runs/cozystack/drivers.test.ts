import { jobResource } from "../../../../src/kinds/cozystack/generated/job.ts";
import { veleroResource } from "../../../../src/kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { backupResource as nativeBackupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import {
  VELERO_BACKUPS,
  VELERO_DELETIONS,
  VELERO_RESTORES,
} from "../../../../src/kinds/velero/server_objects.ts";
import { Pods, Secrets } from "../../../../src/kube/builtin.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { type CozystackWorld, DUMP } from "./cozystack_world.ts";
import { driverContract } from "./driver_contract.ts";
import { nativeEnds, podsEnd, veleroEnds } from "./outsides.ts";

const OURS = "strategy.backups.cozystack.io";

async function uidsOf(world: CozystackWorld, ...resources: readonly Resource<KubeObject>[]) {
  const all = await Promise.all(resources.map((resource) => world.all(resource)));
  return all.flat().map(({ metadata }) => metadata.uid);
}

/** An argument of the pods that restore. */
async function argumentOf(world: CozystackWorld, index: number): Promise<readonly string[]> {
  const all = (await world.all(Pods)).map(({ spec }) => spec?.containers[0]?.args ?? []);
  return all.flatMap((args) => (args[0] === "restore" ? [args[index] ?? ""] : []));
}

const POD_RESTORES = {
  restoresBy: (world: CozystackWorld) => argumentOf(world, 1),
  restoresInto: (world: CozystackWorld) => argumentOf(world, 2),
};

interface VeleroRestore extends KubeObject {
  readonly spec: {
    readonly itemOperationTimeout: string;
    readonly labelSelector: { readonly matchLabels: { readonly app: string } };
  };
}
const veleroRestores = (world: CozystackWorld) =>
  world.all(VELERO_RESTORES as unknown as Resource<VeleroRestore>);

driverContract({
  name: "Volume, over the native API",
  strategyRef: { apiGroup: OURS, kind: "Volume", name: "volumes" },
  inOperator: true,
  prepare: async (world) =>
    void (await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } })),
  outside: nativeEnds,
  handedOut: (world) => uidsOf(world, nativeBackupResource, restoreResource),
  restoresInto: async (world) =>
    (await world.all(restoreResource)).map(({ spec }) => {
      const name = spec.target?.pvc?.name ?? spec.target?.pvcRef?.name;
      return /^data-(.+)-\d$/.exec(name ?? "")?.[1] ?? "";
    }),
  pieces: 3,
});

driverContract({
  name: "Job, over pods",
  strategyRef: { apiGroup: OURS, kind: "Job", name: "dumps" },
  inOperator: true,
  prepare: async (world) => {
    const artifact = { uri: "s3://dumps/{{ .Parameters.level }}/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template: DUMP, deleteTemplate: DUMP, artifact });
  },
  outside: podsEnd,
  handedOut: (world) => uidsOf(world, Pods),
  ...POD_RESTORES,
  pieces: 3,
});

driverContract({
  name: "Job, over pods that are lent credentials",
  strategyRef: { apiGroup: OURS, kind: "Job", name: "dumps" },
  inOperator: true,
  prepare: async (world) => {
    const secretRef = { namespace: "velero", name: "bucket" };
    await world.client.create(Secrets, { metadata: secretRef, stringData: { key: "k" } });
    const artifact = { uri: "s3://dumps/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template: DUMP, artifact, credentials: { secretRef } });
  },
  outside: podsEnd,
  handedOut: (world) => uidsOf(world, Pods),
  ...POD_RESTORES,
  pieces: 2,
});

driverContract({
  name: "Velero, over its objects",
  strategyRef: { apiGroup: OURS, kind: "Velero", name: "velero" },
  inOperator: true,
  prepare: async (world) => {
    const backupTemplate = { spec: { storageLocation: "{{ .Parameters.level }}" } };
    const matchLabels = { app: "{{ .Application.metadata.name }}" };
    // Some field of Velero's that is a text.
    const spec = { itemOperationTimeout: "{{ .Parameters.level }}", labelSelector: { matchLabels } };
    await world.create(veleroResource, "velero", { backupTemplate, restoreTemplate: { spec } });
  },
  outside: veleroEnds,
  restoresBy: async (world) => (await veleroRestores(world)).map(({ spec }) => spec.itemOperationTimeout),
  restoresInto: async (world) =>
    (await veleroRestores(world)).map(({ spec }) => spec.labelSelector.matchLabels.app),
  handedOut: (world) => uidsOf(world, VELERO_BACKUPS, VELERO_RESTORES, VELERO_DELETIONS),
  pieces: 3,
});
