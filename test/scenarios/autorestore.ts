import { expect, test } from "vitest";
import { autorestore } from "../../src/apis/autorestore/api.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupConfigResource } from "../../src/kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRepositoryResource } from "../../src/kinds/autorestore/generated/restic_repository.ts";
import {
  type ResticRestore,
  resticRestoreResource,
} from "../../src/kinds/autorestore/generated/restic_restore.ts";
import { GROUP, OTHER_PREFIX } from "../../src/kinds/autorestore/group.ts";
import { LABELS } from "../../src/kinds/autorestore/labels.ts";
import { Deployments, Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import { APIS } from "../../src/main/apis.ts";
import { lostHome } from "./autorestore_lost.ts";
import { HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const APP = { app: "web" };

/** PVCs are claimed, backed up to several targets, lost, and restored before their workload starts. */
export function autorestores(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(
    () => open({ apis: [...APIS.filter(({ name }) => name !== autorestore.name), autorestore] }),
    (opened) => {
      world = opened;
    },
  );

  /** A repository on a volume of its own, as a target describes it. */
  const onVolume = async (stage: Stage, claimName: string) => {
    await stage.claim(claimName);
    return {
      repository: "/restic",
      volume: { claimName },
      passwordSecretRef: { name: "restic", key: "password" },
      privilegedMover: true,
    };
  };

  const deployment = (namespace: string) => ({
    metadata: { namespace, name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: APP },
      template: {
        metadata: { labels: APP },
        spec: {
          containers: [{ name: "web", image: "none" }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      },
    },
  });

  const annotate = (stage: Stage, name: string, annotations: Readonly<Record<string, string>>) =>
    world.client.patch(
      PersistentVolumeClaims,
      { namespace: stage.namespace, name },
      { type: "merge", patch: { metadata: { annotations } } },
    );

  const restores = async (stage: Stage) =>
    (await world.client.list(resticRestoreResource, { namespace: stage.namespace })).items;

  const ended = (stage: Stage, count: number): Promise<readonly ResticRestore[]> =>
    stage.eventually(`${count} restores have ended`, async () => {
      const found = await restores(stage);
      const over = found.filter(({ status }) => status?.phase === "Completed" || status?.phase === "Failed");
      return { done: over.length === count && found.length === count, value: over };
    });

  /** The ResticBackup of this name, once the operator has made it and it has ended well. */
  const backedUp = async (stage: Stage, name: string) => {
    await stage.eventually(`ResticBackup ${name} is made`, async () => {
      const { items } = await world.client.list(resticBackupResource, { namespace: stage.namespace });
      return { done: items.some(({ metadata }) => metadata.name === name), value: items };
    });
    return stage.until(resticBackupResource, name, "Completed", ["Failed"]);
  };

  test("a lost PVC comes back before its workload does", { timeout: 300_000 }, async () => {
    const { client } = world;
    await using stage = await Stage.enter(world, "restic");
    const { namespace, password } = stage;
    const metadata = { annotations: { [`${GROUP}/allow-privileged-movers`]: "true" } };
    await client.patch(Namespaces, { name: namespace }, { type: "merge", patch: { metadata } });
    await client.create(Secrets, { metadata: { namespace, name: "restic" }, stringData: { password } });
    await client.create(resticRepositoryResource, {
      metadata: { namespace, name: "nas" },
      spec: await onVolume(stage, "nas"),
    });
    const spare = await onVolume(stage, "spare");
    await stage.filledClaim("data", HOUSEHOLD);
    const wanted = await stage.describe("data");
    await client.create(backupConfigResource, {
      metadata: { namespace, name: "home" },
      spec: {
        selectors: [{ names: ["data", "nas"], stopPods: true, waitForHealthy: false }],
        backupTargets: [
          { name: "nas", priority: 5, repository: { name: "nas", privilegedMover: false } },
          { name: "spare", priority: 1, repository: spare },
        ],
        autoRestore: true,
      },
    });

    // Both targets answered that they have nothing, and the volume with data of its own was left alone.
    const [first] = await ended(stage, 1);
    expect(first?.status).toMatchObject({ phase: "Completed", result: "NoSnapshot" });
    const claim = await client.get(PersistentVolumeClaims, { namespace, name: "data" });
    expect(claim.metadata.labels).toMatchObject({ [LABELS.managedBy]: `${namespace}.home` });
    await stage.until(resticRepositoryResource, "nas", "Ready", ["Failed"]);

    await annotate(stage, "data", { [`${OTHER_PREFIX}/manual-backup`]: "first" });
    const kept = await backedUp(stage, "first-data-nas");
    expect(kept.status).toMatchObject({ snapshotID: expect.any(String), displaySize: expect.any(String) });
    await stage.eventually("the spec names the snapshot, too", async () => {
      const { spec } = await client.get(resticBackupResource, { namespace, name: "first-data-nas" });
      return { done: spec.snapshotID === kept.status?.snapshotID, value: spec };
    });
    await backedUp(stage, "first-data-spare");
    const annotated = await client.get(PersistentVolumeClaims, { namespace, name: "data" });
    expect(annotated.metadata.annotations).not.toHaveProperty([`${OTHER_PREFIX}/manual-backup`]);
    // Deleting one on purpose deletes its snapshot: the better target has none any more.
    await stage.remove(resticBackupResource, "first-data-spare");
    await stage.gone(resticBackupResource, "first-data-spare");

    await stage.remove(PersistentVolumeClaims, "data");
    await stage.gone(PersistentVolumeClaims, "data");
    await client.create(Deployments, deployment(namespace));
    await stage.claim("data");
    await stage.eventually("the workload is held back", async () => {
      const { spec } = await client.get(Deployments, { namespace, name: "web" });
      return { done: spec?.replicas === 0, value: spec };
    });
    await world.operator.replace();
    const all = await ended(stage, 2);
    const again = all.find(({ metadata }) => metadata.name !== first?.metadata.name);
    expect(again?.status).toMatchObject({ phase: "Completed", result: "Restored" });
    expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
    await stage.eventually("the workload is back", async () => {
      const { spec } = await client.get(Deployments, { namespace, name: "web" });
      const { metadata: held } = await client.get(resticRestoreResource, {
        namespace,
        name: again?.metadata.name ?? "",
      });
      return { done: spec?.replicas === 2 && !held.finalizers, value: held };
    });

    // The last good one of a PVC goes only once somebody has acknowledged it.
    await client.delete(resticBackupResource, { namespace, name: "first-data-nas" });
    const held = await stage.eventually("the deletion is held", async () => {
      const { status } = await client.get(resticRepositoryResource, { namespace, name: "nas" });
      return { done: status?.deletions?.held === 1, value: status?.deletions };
    });
    const waiting = await client.get(resticBackupResource, { namespace, name: "first-data-nas" });
    expect(waiting.metadata.finalizers).toHaveLength(1);
    const annotations = { [`${GROUP}/acknowledge-deletions`]: held?.acknowledgeToken ?? "" };
    const nas = { namespace, name: "nas" };
    await client.patch(resticRepositoryResource, nas, {
      type: "merge",
      patch: { metadata: { annotations } },
    });
    await stage.gone(resticBackupResource, "first-data-nas");

    await stage.remove(backupConfigResource, "home");
    await stage.gone(backupConfigResource, "home");
    const released = await client.get(PersistentVolumeClaims, { namespace, name: "data" });
    expect(released.metadata.labels ?? {}).not.toHaveProperty([LABELS.managedBy]);
    await client.delete(Deployments, { namespace, name: "web" });
  });

  lostHome(() => world);
}
