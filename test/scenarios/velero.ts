import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { velero } from "../../src/apis/velero/api.ts";
import { type FoundEntry, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { dataDownloadResource, dataUploadResource } from "../../src/kinds/velero/data_movement.ts";
import { DATA_MOVEMENT } from "../../src/kinds/velero/finalizers.ts";
import { backupRepositoryResource } from "../../src/kinds/velero/generated/backup_repository.ts";
import { backupStorageLocationResource } from "../../src/kinds/velero/generated/backup_storage_location.ts";
import { podVolumeBackupResource } from "../../src/kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../src/kinds/velero/generated/pod_volume_restore.ts";
import { API_VERSION } from "../../src/kinds/velero/group.ts";
import { PVC_NAME_ANNOTATION } from "../../src/kinds/velero/labels.ts";
import { DATA_PATH_PHASES } from "../../src/kinds/velero/phases.ts";
import { Jobs, Namespaces, type Pod, Pods, Secrets } from "../../src/kube/builtin.ts";
import { APIS } from "../../src/main/apis.ts";
import { podDraft } from "./claim_pod.ts";
import { DATA_MOVEMENT_CRDS } from "./data_movement_crds.ts";
import { HOUSEHOLD } from "./household.ts";
import { installCrds } from "./install_crds.ts";
import { KopiaByHand } from "./kopia_by_hand.ts";
import { Stage } from "./stage.ts";
import { backUpWithRestic } from "./velero_restic.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const LOCATION = "default";
/** With what the data itself keeps out of kopia's snapshots. */
const EXCLUDING: readonly TreeEntry[] = [
  ...HOUSEHOLD,
  { path: ".kopiaignore", file: { text: "letters\n" } },
  { path: "cache/CACHEDIR.TAG", file: { text: "Signature: 8a477f597d28d172789f06886806bc55\n" } },
  { path: "cache/page", file: { text: "cached" } },
];
/** Of the Restore that a server would have made. */
const RESTORE_UID = "0b6ee5c4-6c2f-4f43-a3b5-5e7f8c0f5a11";
/** A file of zeros, so long that there is time to interfere. */
const LONG = 200 * 2 ** 30;
const KEEPS_RUNNING = "setInterval(() => {}, 1000)";

/** The volume of a pod is backed up as Velero's node agent does it, and restored into another pod that waits. */
export function veleroDataPath(open: OpenWorld): void {
  let world: ScenarioWorld;
  /** An operator has what is set when it starts. */
  const ofApis: { velero?: object } = {};

  withWorld(
    () => open({ apis: [...APIS.filter(({ name }) => name !== velero.name), velero], ofApis }),
    (opened) => {
      world = opened;
    },
  );

  test("a pod's volume is backed up, and restored into a pod that waits for it", {
    timeout: 300_000,
  }, async () => {
    const { client, moverImage: image } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await prepare(stage);
    await stage.filledClaim("data", HOUSEHOLD);
    await stage.claim("again");
    await client.create(Pods, podDraft(stage, { name: "web", claim: "data", image, script: KEEPS_RUNNING }));
    const web = await running(stage, "web");

    await client.create(podVolumeBackupResource, {
      metadata: { namespace, name: "nightly", annotations: { [PVC_NAME_ANNOTATION]: "data" } },
      spec: { ...specOf(stage, web), node: web.spec?.nodeName ?? "" },
    });
    const backup = await stage.until(podVolumeBackupResource, "nightly", "Completed", ["Failed", "Canceled"]);
    expect(backup.status).toMatchObject({
      snapshotID: expect.stringMatching(/^[0-9a-f]{32}$/),
      acceptedTimestamp: expect.any(String),
      startTimestamp: expect.any(String),
      completionTimestamp: expect.any(String),
      message: expect.stringContaining("The snapshot lacks: "),
    });
    expect(backup.status?.progress?.totalBytes).toBeGreaterThan(0);
    const [repository] = (await client.list(backupRepositoryResource, { namespace })).items;
    expect(repository).toMatchObject({ spec: { volumeNamespace: namespace }, status: { phase: "Ready" } });

    const location = await client.get(backupStorageLocationResource, { namespace, name: LOCATION });
    expect(location.status?.phase).toBe("Available");

    await restoreInto(stage, "again", backup.status?.snapshotID ?? "");
    expect(bytesOf(await stage.describe("again"))).toEqual(bytesOf(await stage.describe("data")));

    // Velero's own kopia finds the snapshot where it looks for its parent, and restores it by its ID.
    using kopia = new KopiaByHand(world, stage);
    expect(await kopia.snapshots()).toMatchObject([
      {
        id: backup.status?.snapshotID,
        source: {
          userName: "default",
          host: "default",
          path: `snapshot-pod-volume/kopia/${namespace}/web/data`,
        },
        pins: ["velero-pin"],
      },
    ]);

    // And a snapshot that was made as Velero makes them comes back through a PodVolumeRestore.
    await stage.claim("theirs");
    const id = await kopia.backUp(
      await world.folderOf({ namespace, name: "data" }),
      "snapshot-pod-volume/kopia/a/b/c",
    );
    await restoreInto(stage, "theirs", id);
    expect(bytesOf(await stage.describe("theirs"))).toEqual(bytesOf(await stage.describe("data")));

    // So does one that an older Velero made with restic.
    await stage.claim("older");
    const old = await backUpWithRestic(stage, await world.folderOf({ namespace, name: "data" }));
    await restoreInto(stage, "older", old, { uploaderType: "restic" });
    expect(bytesOf(await stage.describe("older"))).toEqual(bytesOf(await stage.describe("data")));
    await settled(stage);
  });

  test("a backup goes on when the operator is started anew", { timeout: 120_000 }, async () => {
    const { client, moverImage: image, operator } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await prepare(stage);
    await stage.filledClaim("data", HOUSEHOLD);
    await client.create(Pods, podDraft(stage, { name: "web", claim: "data", image, script: KEEPS_RUNNING }));
    const web = await running(stage, "web");
    await client.create(podVolumeBackupResource, {
      metadata: { namespace, name: "nightly" },
      spec: { ...specOf(stage, web), node: web.spec?.nodeName ?? "" },
    });
    for (const phase of ["Accepted", "InProgress"] as const) {
      await stage.eventually(`it has come to ${phase}`, async () => {
        const value = await client.get(podVolumeBackupResource, { namespace, name: "nightly" });
        const at = DATA_PATH_PHASES.indexOf(value.status?.phase ?? "New");
        return { done: at >= DATA_PATH_PHASES.indexOf(phase), value };
      });
      await operator.replace();
    }
    const backup = await stage.until(podVolumeBackupResource, "nightly", "Completed", ["Failed", "Canceled"]);
    expect(backup.status?.snapshotID).toMatch(/^[0-9a-f]{32}$/);
    using kopia = new KopiaByHand(world, stage);
    expect(await kopia.snapshots()).toHaveLength(1);
    await settled(stage);
  });

  test("what kopia does not keep is kept beside the snapshot, where that is set, and goes after it", {
    timeout: 180_000,
  }, async () => {
    const { client, moverImage: image, operator } = world;
    ofApis.velero = { fidelity: "Full" };
    await operator.replace();
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await prepare(stage);
    await stage.filledClaim("data", EXCLUDING);
    await stage.claim("again");
    await client.create(Pods, podDraft(stage, { name: "web", claim: "data", image, script: KEEPS_RUNNING }));
    const web = await running(stage, "web");
    const name = { namespace, name: "nightly" };
    await client.create(podVolumeBackupResource, {
      metadata: name,
      spec: { ...specOf(stage, web), node: web.spec?.nodeName ?? "" },
    });
    const backup = await stage.until(podVolumeBackupResource, "nightly", "Completed", ["Failed", "Canceled"]);
    expect(backup.status).not.toHaveProperty("message");
    const { snapshotID = "" } = backup.status ?? {};
    await restoreInto(stage, "again", snapshotID);
    const restored = (await stage.describe("again")).filter(({ path }) => !path.startsWith(".velero"));
    const withoutRoot = (entries: readonly FoundEntry[]) => entries.filter(({ path }) => path !== "");
    expect(treeDifferences(withoutRoot(await stage.describe("data")), withoutRoot(restored))).toEqual([]);

    // A server deletes the snapshot first, and its object then.
    using kopia = new KopiaByHand(world, stage);
    expect(await kopia.snapshots()).toHaveLength(2);
    await kopia.delete(snapshotID);
    expect(await kopia.snapshots()).toHaveLength(1);
    await client.delete(podVolumeBackupResource, name);
    await stage.eventually("the record goes, too", async () => {
      const value = await kopia.snapshots();
      return { done: value.length === 0, value };
    });
    await settled(stage);
    delete ofApis.velero;
    await operator.replace();
  });

  test("what only Velero's own data mover can do is refused at once", { timeout: 120_000 }, async () => {
    const { client } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await installCrds(client, DATA_MOVEMENT_CRDS, AbortSignal.timeout(30_000));
    await prepare(stage);
    for (const resource of [dataUploadResource, dataDownloadResource]) {
      await stage.eventually("the kind is served", async () => {
        const done = await client.serves(resource);
        return { done, value: done };
      });
      const metadata = { namespace, name: "own", finalizers: [DATA_MOVEMENT] };
      await client.create(resource, { metadata, spec: {} });
      await client.create(resource, {
        metadata: { namespace, name: "other" },
        spec: { datamover: "vendor" },
      });
    }
    // An operator that runs looks for the kinds every minute.
    await world.operator.replace();
    for (const resource of [dataUploadResource, dataDownloadResource]) {
      const own = await stage.eventually("it is refused", async () => {
        const value = await client.get(resource, { namespace, name: "own" });
        return { done: value.status?.phase === "Failed" && !value.metadata.finalizers?.length, value };
      });
      expect(own.status?.message).toContain("Holdfast is the node agent here");
      expect(await client.get(resource, { namespace, name: "other" })).not.toHaveProperty("status");
    }
  });

  test("a backup that is canceled ends, and so does one that can never be", {
    timeout: 120_000,
  }, async () => {
    const { client, moverImage: image } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await prepare(stage);
    await stage.claim("data");
    await client.create(Pods, podDraft(stage, { name: "web", claim: "data", image, script: KEEPS_RUNNING }));
    const web = await running(stage, "web");
    const spec = { ...specOf(stage, web), node: web.spec?.nodeName ?? "" };
    const metadata = (name: string) => ({ namespace, name });
    await client.create(podVolumeBackupResource, {
      metadata: metadata("gone"),
      spec: { ...spec, cancel: true },
    });
    await client.create(podVolumeBackupResource, {
      metadata: metadata("other"),
      spec: { ...spec, volume: "none" },
    });
    const gone = await stage.until(podVolumeBackupResource, "gone", "Canceled", ["Completed"]);
    const other = await stage.until(podVolumeBackupResource, "other", "Failed", ["Completed"]);
    expect(gone.status?.message).toBe("Canceled before it was accepted.");
    expect(other.status?.message).toBe(
      `Volume none of pod ${namespace}/web does not exist: the pod has no volume of this name.`,
    );

    // Its mover would read for minutes.
    const folder = await world.folderOf({ namespace, name: "data" });
    await writeFile(join(folder, "zeros"), "");
    await truncate(join(folder, "zeros"), LONG);
    await client.create(podVolumeBackupResource, { metadata: metadata("later"), spec });
    await stage.eventually("its mover works", async () => {
      const value = await client.get(podVolumeBackupResource, metadata("later"));
      return { done: (value.status?.progress?.bytesDone ?? 0) > 0, value };
    });
    await client.patch(podVolumeBackupResource, metadata("later"), {
      type: "merge",
      patch: { spec: { cancel: true } },
    });
    const later = await stage.until(podVolumeBackupResource, "later", "Canceled", ["Completed", "Failed"]);
    expect(later.status).not.toHaveProperty("snapshotID");
    // The mover itself said that it has stopped.
    expect(later.status?.message).toBe("Canceled.");
    await settled(stage);
  });
}

/** The namespace as a Velero of one's own has it: with a location, its credentials and the password. */
async function prepare({ world, namespace, password }: Stage): Promise<void> {
  const { client, s3 } = world;
  if (!s3) throw new Error("this world has no S3 server");
  const annotations = { "velero.io/allow-privileged-movers": "true" };
  await client.patch(
    Namespaces,
    { name: namespace },
    { type: "merge", patch: { metadata: { annotations } } },
  );
  const cloud = `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`;
  await client.create(Secrets, { metadata: { namespace, name: "cloud-credentials" }, stringData: { cloud } });
  await client.create(Secrets, {
    metadata: { namespace, name: "velero-repo-credentials" },
    stringData: { "repository-password": password },
  });
  const s3Url = s3.endpoint.includes("://") ? s3.endpoint : `http://${s3.endpoint}`;
  await client.create(backupStorageLocationResource, {
    metadata: { namespace, name: LOCATION },
    spec: {
      provider: "aws",
      objectStorage: { bucket: s3.bucket, prefix: namespace },
      config: { region: "us-east-1", s3ForcePathStyle: "true", s3Url },
    },
  });
}

function specOf({ namespace }: Stage, { metadata }: Pod) {
  return {
    backupStorageLocation: LOCATION,
    pod: { kind: "Pod", namespace, name: metadata.name, uid: metadata.uid },
    repoIdentifier: "",
    uploaderType: "kopia",
    volume: "data",
  } as const;
}

/** Restores into a claim, through a pod that waits for it. */
async function restoreInto(
  stage: Stage,
  claim: string,
  snapshotID: string,
  more: { readonly uploaderType?: "restic" } = {},
): Promise<void> {
  const { namespace, world } = stage;
  const { client, moverImage } = world;
  await client.create(Pods, waitingPod(stage, claim, moverImage));
  const pod = await client.get(Pods, { namespace, name: claim });
  const owner = { apiVersion: API_VERSION, kind: "Restore", name: "back", uid: RESTORE_UID };
  await client.create(podVolumeRestoreResource, {
    metadata: { namespace, name: claim, ownerReferences: [owner] },
    spec: {
      ...specOf(stage, pod),
      snapshotID,
      sourceNamespace: namespace,
      uploaderSettings: { WriteSparseFiles: "false" },
      ...more,
    },
  });
  const restore = await stage.until(podVolumeRestoreResource, claim, "Completed", ["Failed", "Canceled"]);
  // Its init container has seen the mark, and let the pod go.
  const started = await running(stage, claim);
  expect(restore.status?.node).toBe(started.spec?.nodeName);
}

/** The content of every plain file: what kopia does not keep is told in the message of a backup. */
function bytesOf(entries: readonly FoundEntry[]): Readonly<Record<string, string | undefined>> {
  const files = entries.filter(
    ({ kind, path }) => kind === "file" && !/\\x|\ufffd/.test(path) && !path.startsWith(".velero"),
  );
  return Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]));
}

/** As a Velero server restores one: it does not start before its data is there. */
function waitingPod(stage: Stage, claim: string, image: string) {
  const draft = podDraft(stage, { name: claim, claim, image, script: KEEPS_RUNNING });
  const [main] = draft.spec?.containers ?? [];
  const wait = {
    name: "restore-wait",
    image,
    imagePullPolicy: "Never",
    args: ["restore-wait", RESTORE_UID],
    securityContext: main?.securityContext ?? {},
    volumeMounts: [{ name: "data", mountPath: "/restores/data" }],
  };
  return { ...draft, spec: { ...draft.spec, initContainers: [wait] } } as typeof draft;
}

async function running(stage: Stage, name: string): Promise<Pod> {
  return stage.eventually(`pod ${name} runs`, async () => {
    const value = await stage.world.client.get(Pods, { namespace: stage.namespace, name });
    return { done: value.status?.phase === "Running", value };
  });
}

/** Nothing is left of what has ended: no finalizer, no mark, no run. */
async function settled(stage: Stage): Promise<void> {
  const { client } = stage.world;
  const { namespace } = stage;
  await stage.eventually("everything is settled", async () => {
    const backups = (await client.list(podVolumeBackupResource, { namespace })).items;
    const restores = (await client.list(podVolumeRestoreResource, { namespace })).items;
    const jobs = (await client.list(Jobs, { namespace })).items;
    const held = [...backups, ...restores].filter(
      ({ metadata }) => metadata.finalizers?.length || metadata.labels?.["velero.io/expose-on-going"],
    );
    const value = [...held, ...jobs].map(({ metadata }) => metadata.name);
    return { done: value.length === 0, value };
  });
}
