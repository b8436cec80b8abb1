import { jobResource } from "../../../../src/kinds/cozystack/generated/job.ts";
import { veleroResource } from "../../../../src/kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { Secrets } from "../../../../src/kube/builtin.ts";
import { FOREIGN, ForeignDriver } from "../../../scenarios/foreign_driver.ts";
import { DUMP, NAMESPACE } from "./cozystack_world.ts";
import { driverContract } from "./driver_contract.ts";
import { nativeEnds, type Outside, podsEnd, veleroEnds } from "./outsides.ts";

const OURS = "strategy.backups.cozystack.io";
/** The moments of a backup, from its first request to its last. */
const MOMENTS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

driverContract({
  name: "Volume, over the native API",
  strategyRef: { apiGroup: OURS, kind: "Volume", name: "volumes" },
  diesAt: MOMENTS,
  prepare: async (world) =>
    void (await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } })),
  outside: nativeEnds,
});

driverContract({
  name: "Job, over pods",
  strategyRef: { apiGroup: OURS, kind: "Job", name: "dumps" },
  diesAt: MOMENTS,
  prepare: async (world) => {
    const artifact = { uri: "s3://dumps/{{ .Parameters.level }}/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template: DUMP, deleteTemplate: DUMP, artifact });
  },
  outside: podsEnd,
});

driverContract({
  name: "Job, over pods that are lent credentials",
  strategyRef: { apiGroup: OURS, kind: "Job", name: "dumps" },
  diesAt: MOMENTS,
  prepare: async (world) => {
    const secretRef = { namespace: "velero", name: "bucket" };
    await world.client.create(Secrets, { metadata: secretRef, stringData: { key: "k" } });
    const artifact = { uri: "s3://dumps/{{ .Backup.metadata.name }}" };
    await world.create(jobResource, "dumps", { template: DUMP, artifact, credentials: { secretRef } });
  },
  outside: podsEnd,
});

driverContract({
  name: "Velero, over its objects",
  strategyRef: { apiGroup: OURS, kind: "Velero", name: "velero" },
  diesAt: MOMENTS,
  prepare: async (world) => {
    const backupTemplate = { spec: { storageLocation: "{{ .Parameters.level }}" } };
    await world.create(veleroResource, "velero", { backupTemplate });
  },
  outside: veleroEnds,
});

/** What a driver needs by the document, and no more. */
const apiGroups = ["backups.cozystack.io"];
const CONTRACT = [
  {
    apiGroups,
    resources: ["backupjobs", "restorejobs", "backupclasses", "backups"],
    verbs: ["get", "list", "watch"],
  },
  { apiGroups, resources: ["backups"], verbs: ["create"] },
  { apiGroups, resources: ["backupjobs/status", "restorejobs/status", "backups/status"], verbs: ["patch"] },
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
