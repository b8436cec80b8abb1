import { expect, test } from "vitest";
import { refusedUse } from "../../../core/work/run_uses.ts";
import { GROUP } from "../../../kinds/velero/group.ts";
import { nodeAgentConfig } from "../node_agent_config.ts";
import { moverOf, podVolumeTask } from "./pod_volume_task.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const how = {
  exposed: { node: "n1", hostPath: "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~csi/pv/mount" },
  storage: {
    backend: { s3: { bucket: "b" } },
    credentials: [{ secret: "cloud-credentials", items: [{ key: "cloud", as: "AWS_CREDENTIALS_FILE" }] }],
  },
  repository: undefined,
  config: nodeAgentConfig(undefined),
  inherited: {},
  settings: { moverImage: "mover:1" },
} as const;

test("a backup is what Velero's mover would make, of one volume, on its node, without a token or another volume", () => {
  const task = podVolumeTask({ ...how, object: sampleBackup });
  expect(task).toMatchObject({
    namespace: "velero",
    startsBySignal: true,
    labels: { "velero.io/pod-volume-backup": "nightly-x1" },
    args: [
      "pod-volume",
      "backup",
      "--volume-path=/holdfast/volumes/volume",
      "--pod-volume-backup=nightly-x1",
      "--resource-timeout=600s",
      "--log-format=json",
      "--log-level=info",
    ],
    hostVolume: { hostPath: how.exposed.hostPath, readOnly: true },
    secrets: { password: { secret: "velero-repo-credentials", key: "repository-password" } },
    mover: { nodeName: "n1", securityContext: { runAsUser: 0 } },
    work: {
      engine: "kopia",
      work: {
        snapshot: {
          fidelity: "Engine",
          compression: { compressor: "none" },
          ignore: { files: [".kopiaignore"], cacheDirs: true, counted: true },
          extraArgs: ["--pin=velero-pin"],
          sources: [
            {
              path: "/holdfast/volumes/volume",
              mountedOver: "p1/volumes/kubernetes.io~csi/pv/mount",
              identity: {
                username: "default",
                hostname: "default",
                path: "snapshot-pod-volume/kopia/shop/web-0/data-web-0",
              },
            },
          ],
        },
      },
    },
  });
  expect(task).not.toHaveProperty("volumes");
  expect(refusedUse(task, new Map([[GROUP, ["hostPath", "startSignal"]]]))).toBeUndefined();
});

test("with full fidelity a backup has a record of what kopia does not keep, and excludes nothing", () => {
  const { work } = podVolumeTask({ ...how, fidelity: "Full", object: sampleBackup }).work;
  expect(work).toMatchObject({ snapshot: { fidelity: "Full", extraArgs: ["--pin=velero-pin"] } });
  expect(work).not.toHaveProperty("snapshot.ignore");
});

test("a volume without a claim is recorded by its own name", () => {
  const object = { ...sampleBackup, metadata: { ...sampleBackup.metadata, annotations: {} } };
  expect(podVolumeTask({ ...how, object })).toHaveProperty(
    "work.work.snapshot.sources.0.identity.path",
    "snapshot-pod-volume/kopia/shop/web-0/data",
  );
});

test("a restore writes over what is there, and leaves the mark that the pod waits for", () => {
  const task = podVolumeTask({ ...how, object: sampleRestore });
  expect(task).toMatchObject({
    labels: { "velero.io/pod-volume-restore": "back-x1" },
    hostVolume: { readOnly: false },
    work: {
      work: {
        restore: {
          snapshot: { id: "abc" },
          target: "/holdfast/volumes/volume",
          mountedOver: "p1/volumes/kubernetes.io~csi/pv/mount",
          existing: "Overwrite",
          sparse: false,
          doneFile: ".velero/restore-uid",
        },
      },
    },
  });
});

test("what restic stored is restored at once, with the program that stored it", () => {
  const spec = { ...sampleRestore.spec, uploaderType: "restic" as const };
  const task = podVolumeTask({ ...how, object: { ...sampleRestore, spec } });
  expect(task.work).toMatchObject({ engine: "restic", work: { restore: { snapshot: { id: "abc" } } } });
  expect(task).not.toHaveProperty("startsBySignal");
});

test.each([
  ["4", { parallel: 4 }],
  ["0", {}],
  ["many", {}],
])("ParallelFilesUpload %j counts where it is a number", (value, wanted) => {
  const spec = { ...sampleBackup.spec, uploaderSettings: { ParallelFilesUpload: value } };
  const task = podVolumeTask({ ...how, object: { ...sampleBackup, spec } });
  const work = task.work.work as { readonly snapshot: { readonly parallel?: number } };
  expect(work.snapshot.parallel).toBe((wanted as { parallel?: number }).parallel);
});

test("what the node agent hands on counts, and the mover is root all the same", () => {
  const inherited = { env: { HTTPS_PROXY: "p" }, securityContext: { privileged: true } };
  expect(podVolumeTask({ ...how, inherited, object: sampleBackup }).mover).toMatchObject({
    env: { HTTPS_PROXY: "p" },
    securityContext: { privileged: true, runAsUser: 0 },
  });
});

test("settings of the node agent and of the repository count", () => {
  const config = nodeAgentConfig({
    data: { config: JSON.stringify({ privilegedFsBackup: true, podResources: { memoryLimit: "1Gi" } }) },
  } as never);
  const repository = { spec: { repositoryConfig: { cacheLimitMB: "1000" } } } as never;
  const task = podVolumeTask({ ...how, config, repository, object: sampleBackup });
  expect(task.mover).toMatchObject({
    securityContext: { privileged: true },
    resources: { limits: { memory: "1Gi" } },
  });
  expect(task.work.repository.cache).toEqual({ contentBytes: 800_000_000, metadataBytes: 200_000_000 });
});

test("a mover that no scheduler places requests nothing of its node, unless that is set", () => {
  expect(podVolumeTask({ ...how, object: sampleBackup }).mover.resources).toEqual({});
});

test.each([
  [undefined, { GOGC: "50" }],
  [
    { HTTPS_PROXY: "http://proxy", GOGC: "200" },
    { HTTPS_PROXY: "http://proxy", GOGC: "200" },
  ],
])("moverOf() keeps kopia small, unless the node agent says otherwise: %j", (env, expected) => {
  const inherited = env ? { env } : {};
  expect(moverOf(nodeAgentConfig(undefined), inherited, { moverImage: "m" }).env).toEqual(expected);
});
