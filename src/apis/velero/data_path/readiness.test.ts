import { describe, expect, test } from "vitest";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import { API_VERSION } from "../../../kinds/velero/group.ts";
import type { Pod } from "../../../kube/builtin.ts";
import { MEMORY_ANNOTATION, type Memory, type PodVolume } from "./pod_volume.ts";
import { isClaimGone, isUnmounted, needsPod, prospectOf, type Surroundings } from "./readiness.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const metadata = {
  namespace: "velero",
  uid: "x",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const location: BackupStorageLocation = {
  apiVersion: API_VERSION,
  kind: "BackupStorageLocation",
  metadata: { ...metadata, name: "default" },
  spec: { provider: "aws", objectStorage: { bucket: "b" } },
};
const repository: BackupRepository = {
  apiVersion: API_VERSION,
  kind: "BackupRepository",
  metadata: { ...metadata, name: "shop-default-kopia" },
  spec: {
    volumeNamespace: "shop",
    backupStorageLocation: "default",
    repositoryType: "kopia",
    maintenanceFrequency: "1h",
  },
  status: { phase: "Ready" },
};
const podWith = (
  more: { readonly spec?: object; readonly status?: object; readonly uid?: string } = {},
): Pod =>
  ({
    metadata: { namespace: "shop", name: "web-0", uid: more.uid ?? "p1" },
    spec: {
      nodeName: "n1",
      volumes: [{ name: "data", emptyDir: {} }],
      initContainers: [{ name: "restore-wait" }],
      containers: [{ name: "app", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
      ...more.spec,
    },
    status: {
      phase: "Running",
      initContainerStatuses: [{ name: "restore-wait", state: { running: {} } }],
      ...more.status,
    },
  }) as unknown as Pod;
const seen: Surroundings = {
  object: sampleBackup,
  location,
  repository: { type: "Found", object: repository },
  pod: podWith(),
};
const restoring: Surroundings = { ...seen, object: sampleRestore };
const UNTIL = Date.parse("2026-01-01T11:10:00Z");

test.each([
  ["backup", seen],
  ["restore", restoring],
])("prospectOf() finds the volume of a %s", (_, surroundings) => {
  expect(prospectOf(surroundings)).toMatchObject({
    ok: true,
    value: {
      exposed: {
        node: "n1",
        hostPath: "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir/data",
        goesWithPod: true,
      },
      storage: { backend: { s3: { prefix: "kopia/shop/" } } },
    },
  });
});

test.each([
  ["a PVC", { persistentVolumeClaim: { claimName: "data" } }],
  ["an ephemeral PVC", { ephemeral: {} }],
])("prospectOf() notes the PVC of %s: without it the volume may go", (_, volume) => {
  const csi = { driver: "d", volumeHandle: "h" };
  const persistent = { name: "pv", spec: { csi }, claim: { name: "data", uid: "c1" } };
  const pod = podWith({ spec: { volumes: [{ name: "data", ...volume }] } });
  const found = prospectOf({ ...seen, pod, persistent });
  expect(found).toMatchObject({ value: { exposed: { claim: { name: "data", uid: "c1" } } } });
});

test.each<[string, Partial<Surroundings>, string]>([
  [
    "a read-only location",
    { location: { ...location, spec: { ...location.spec, accessMode: "ReadOnly" } } },
    "BackupStorageLocation default is read-only.",
  ],
  [
    "a storage that cannot be reached",
    { location: { ...location, spec: { ...location.spec, provider: "other" } } },
    "BackupStorageLocation default has the provider other",
  ],
  ["a pod that is gone", { pod: undefined }, "Pod shop/web-0 does not exist any more."],
  ["another pod of the name", { pod: podWith({ uid: "p2" }) }, "Pod shop/web-0 does not exist any more."],
  [
    "a pod that moved",
    { pod: podWith({ spec: { nodeName: "n2" } }) },
    "Pod shop/web-0 is on node n2, and not on n1.",
  ],
  ["a pod that ended", { pod: podWith({ status: { phase: "Failed" } }) }, "Pod shop/web-0 is not running"],
  [
    "a volume that is not there",
    { pod: podWith({ spec: { volumes: [] } }) },
    "Volume data of pod shop/web-0",
  ],
  [
    "a repository that failed",
    {
      repository: {
        type: "Found",
        object: { ...repository, status: { phase: "NotReady", message: "wrong password" } },
      },
    },
    "BackupRepository shop-default-kopia is not ready: wrong password",
  ],
  [
    "two repositories",
    { repository: { type: "Several", names: ["a", "b"] } },
    "Several BackupRepositories are for the same namespace and location: a, b. Delete all but one.",
  ],
])("prospectOf() refuses a backup with %s", (_, more, message) => {
  expect(prospectOf({ ...seen, ...more })).toMatchObject({
    ok: false,
    error: { type: "Refuse", message: expect.stringContaining(message) },
  });
});

test.each<[string, Partial<Surroundings>, object]>([
  [
    "its location",
    { location: undefined },
    { message: "BackupStorageLocation default does not exist.", until: UNTIL },
  ],
  [
    "its repository",
    {
      repository: {
        type: "Missing",
        question: { volumeNamespace: "shop", location: "default", type: "kopia" },
      },
    },
    {
      message: "There is no BackupRepository for namespace shop in BackupStorageLocation default yet.",
      until: UNTIL,
    },
  ],
  [
    "its repository to be ready",
    { repository: { type: "Found", object: { ...repository, status: {} } } },
    { message: "BackupRepository shop-default-kopia is not ready yet.", until: UNTIL },
  ],
])("prospectOf() lets a backup wait for %s, for a while", (_, more, wait) => {
  expect(prospectOf({ ...seen, ...more })).toEqual({ ok: false, error: { type: "Wait", ...wait } });
});

test.each<[string, Pod | undefined, object]>([
  ["is gone", undefined, { type: "Refuse", message: "Pod shop/web-0 does not exist any more." }],
  [
    "has no node",
    podWith({ spec: { nodeName: undefined }, status: { initContainerStatuses: [] } }),
    { type: "Wait", message: "Waiting for pod shop/web-0 to be scheduled." },
  ],
  [
    "has not begun to wait",
    podWith({ status: { initContainerStatuses: [] } }),
    { type: "Wait", message: "Waiting for init container restore-wait of pod shop/web-0 to start." },
  ],
  [
    "waits for nothing",
    podWith({ spec: { initContainers: [] } }),
    {
      type: "Refuse",
      message: "Pod shop/web-0 has no init container restore-wait, which waits for the data.",
    },
  ],
  [
    "has started",
    podWith({ status: { initContainerStatuses: [{ name: "restore-wait", state: { terminated: {} } }] } }),
    {
      type: "Refuse",
      message: "Init container restore-wait of pod shop/web-0 has ended, so that the pod uses its volumes.",
    },
  ],
  [
    "is another one",
    podWith({ uid: "p2" }),
    { type: "Refuse", message: "Pod shop/web-0 was replaced by another of the same name." },
  ],
])("prospectOf() looks at the pod of a restore that %s", (_, pod, error) => {
  expect(prospectOf({ ...restoring, pod })).toEqual({ ok: false, error });
});

test.each<[string, object, boolean]>([
  ["an owner", {}, true],
  ["a label", { ownerReferences: [], labels: { "velero.io/restore-uid": "u" } }, true],
  ["nothing", { ownerReferences: [] }, false],
])("prospectOf() wants a restore to name the mark that its pod waits for: by %s", (_, more, there) => {
  const object = { ...sampleRestore, metadata: { ...sampleRestore.metadata, ...more } };
  expect(prospectOf({ ...restoring, object })).toMatchObject(
    there
      ? { ok: true }
      : {
          error: {
            type: "Refuse",
            message:
              "The PodVolumeRestore names no Restore, so that no mark could let pod shop/web-0 go. Set the label velero.io/restore-uid to the UID that its init container waits for.",
          },
        },
  );
});

describe("what restic stored", () => {
  const of = (repoIdentifier: string) => ({
    ...sampleRestore,
    spec: { ...sampleRestore.spec, uploaderType: "restic" as const, repoIdentifier },
  });
  const missing = {
    type: "Missing",
    question: { volumeNamespace: "shop", location: "default", type: "restic" },
  } as const;

  test.each(["", "s3:http://minio:9000/b/restic/shop"])(
    "is restored from where Velero put it (%j), without an object for its repository",
    (address) => {
      expect(prospectOf({ ...restoring, repository: missing, object: of(address) })).toMatchObject({
        ok: true,
        value: { storage: { backend: { s3: { prefix: "restic/shop/" } } } },
      });
    },
  );

  test("is not looked for in another place", () => {
    expect(prospectOf({ ...restoring, object: of("s3:http://minio:9000/c/else/shop") })).toEqual({
      ok: false,
      error: {
        type: "Refuse",
        message:
          "The repository s3:http://minio:9000/c/else/shop is not where BackupStorageLocation default has those of restic. Movers reach no other place.",
      },
    });
  });

  test("is not added to", () => {
    const spec = { ...sampleBackup.spec, uploaderType: "restic" } as never;
    expect(prospectOf({ ...seen, object: { ...sampleBackup, spec } })).toEqual({
      ok: false,
      error: {
        type: "Refuse",
        message:
          "Only kopia makes backups, and this one asks for restic. Set the server's uploader to kopia.",
      },
    });
  });
});

test("prospectOf() lets a restore wait for a pod that it knows by its name alone", () => {
  const { uid: _, ...pod } = sampleRestore.spec.pod;
  const object = { ...sampleRestore, spec: { ...sampleRestore.spec, pod } };
  expect(prospectOf({ ...restoring, object, pod: undefined })).toEqual({
    ok: false,
    error: { type: "Wait", message: "Waiting for pod shop/web-0 to be created." },
  });
});

describe("where a pod had its volume", () => {
  const exposed = { node: "n1", hostPath: "/var/lib/kubelet/pods/p1/volumes/x/data" };
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const pod = podWith();
  const inPhase = (phase: string): Pod => ({ ...pod, status: { ...pod.status, phase } });

  test.each<[string, Pod | undefined, boolean]>([
    ["the pod runs", pod, false],
    ["the pod waits for the volume", inPhase("Pending"), false],
    ["the pod is gone", undefined, true],
    ["another pod has the name", podWith({ uid: "p2" }), true],
    ["the pod is going", { ...pod, metadata: { ...pod.metadata, deletionTimestamp } }, true],
    // A kubelet does not wait for the deletion.
    ["the pod is done", inPhase("Succeeded"), true],
    ["the pod has failed", inPhase("Failed"), true],
  ])("there may be another folder: where %s", (_, seen, expected) => {
    expect(isUnmounted(exposed, seen)).toBe(expected);
  });
});

test.each<[string, object | undefined, boolean]>([
  ["is there", { uid: "c1" }, false],
  // What uses its volume keeps it, and it keeps the volume.
  ["is being deleted", { uid: "c1", deletionTimestamp: "2026-01-01T00:00:00Z" }, false],
  ["is gone", undefined, true],
  ["is another one", { uid: "c2" }, true],
])("isClaimGone() where the PVC %s", (_, metadata, expected) => {
  const exposed = { node: "n1", hostPath: "/p" };
  const found = metadata && ({ metadata } as never);
  expect(isClaimGone({ ...exposed, claim: { name: "data", uid: "c1" } }, found)).toBe(expected);
  expect(isClaimGone(exposed, found)).toBe(false);
});

describe("the pod of a volume has to be there", () => {
  const run = { attempt: 1, step: "Work" } as RunRecord;
  const holding = (memory: Partial<Memory>, cancel = false) => ({
    ...sampleBackup,
    metadata: { ...metadata, name: "b", annotations: { [MEMORY_ANNOTATION]: JSON.stringify(memory) } },
    spec: { ...sampleBackup.spec, cancel },
  });
  const exposed = { node: "n1", hostPath: "/p" };

  test.each<[string, PodVolume, TaskState["phase"], boolean]>([
    ["before the mover is told to start", holding({ exposed, run }), "Working", true],
    ["no more once it was", holding({ exposed, run: { ...run, signalled: true } }), "Working", false],
    ["not for a mover that is to end", holding({ exposed, run }, true), "Working", false],
    ["not between two attempts", holding({ exposed, run }), "BackingOff", false],
    ["not at the end, for a volume of a PVC", holding({ exposed, run }), "Ended", false],
    [
      "until the end, for its own",
      holding({ exposed: { ...exposed, goesWithPod: true }, run }),
      "Ended",
      true,
    ],
  ])("%s", (_, object, phase, expected) => {
    expect(needsPod(object, { phase })).toBe(expected);
  });
});
