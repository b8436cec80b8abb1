import { backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import {
  VELERO_BACKUPS,
  VELERO_DELETIONS,
  VELERO_RESTORES,
} from "../../../../src/kinds/velero/server_objects.ts";
import { Pods } from "../../../../src/kube/builtin.ts";
import { timestamp } from "../../../../src/kube/write/timestamp.ts";
import { type CozystackWorld, NAMESPACE } from "./cozystack_world.ts";

/** How what a driver hands its work to ends it: well, badly, or not yet. */
export type Outside = "well" | "badly" | "waits";

/** Ends Backups and Restores of the native API. */
export async function nativeEnds(world: CozystackWorld, how: Outside): Promise<void> {
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
}

/** Ends pods. Those that end well say how large their data is. */
export async function podsEnd(world: CozystackWorld, how: Outside): Promise<void> {
  if (how === "waits") return;
  const [phase, exitCode] = how === "well" ? (["Succeeded", 0] as const) : (["Failed", 3] as const);
  for (const pod of await world.all(Pods)) {
    if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") continue;
    const times = { startedAt: now(world), finishedAt: now(world) };
    const message = JSON.stringify({ sizeBytes: 2048, checksum: "sha256:ab" });
    const state = { terminated: { exitCode, message, ...times } };
    const container = { name: "dump", image: "dump", imageID: "", ready: false, restartCount: 0, state };
    await world.patch(Pods, pod, { status: { phase, containerStatuses: [container] } }, "status");
  }
}

/** Does what a Velero is asked for. */
export async function veleroEnds(world: CozystackWorld, how: Outside): Promise<void> {
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
}

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
