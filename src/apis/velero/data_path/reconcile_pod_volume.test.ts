import { beforeEach, describe, expect, test } from "vitest";
import { POD_VOLUME } from "../../../kinds/velero/finalizers.ts";
import { podVolumeBackupResource } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import type { DataPathPhase } from "../../../kinds/velero/phases.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { done, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger } from "../../../observe/log.ts";
import type { VeleroPorts } from "../ports.ts";
import { MEMORY_ANNOTATION, type PodVolume } from "./pod_volume.ts";
import { reconcilePodVolume } from "./reconcile_pod_volume.ts";
import { sampleBackup } from "./testing/samples.ts";

const AT = "2026-01-01T00:00:00Z";
const FORGED = JSON.stringify({ exposed: { node: "n1", hostPath: "/etc" } });

/** What was done, in its order. */
const calls: unknown[] = [];
const lines: string[] = [];
/** The pods of node agents. */
let agents: unknown[] = [];
/** What is to be done about runs that nobody names any more. */
let forgotten: unknown[] = [];
beforeEach(() => {
  forgotten = [];
  agents = [];
  calls.length = 0;
  lines.length = 0;
});

const portsWith = (namespace: string): VeleroPorts =>
  ({
    clock: new VirtualClock(),
    log: { ...silentLogger, info: (_: object, line: string) => lines.push(line) },
    own: { namespace, nodeAgentConfigMap: "c" },
    settings: { moverImage: "m" },
    begun: new Set(),
    preparing: new Set(),
    configs: new Map(),
    leftAlone: new Set(),
    caches: {
      namespaces: { get: () => undefined },
      locations: { get: () => undefined },
      repositories: { values: () => [] },
      backups: { values: () => [] },
      restores: { values: () => [] },
    },
    events: { event: () => {} },
    client: {
      get: async () => undefined,
      list: async () => ({ items: agents }),
      deleteCollection: async () => calls.push("end runs"),
      patch: async (_: unknown, __: unknown, { patch }: { readonly patch: unknown }) => {
        calls.push(patch);
        return sampleBackup;
      },
    },
    tasks: {
      forgotten: () => forgotten,
      decide: async () => {
        calls.push("decide");
        throw new Error("nothing is to be decided");
      },
    },
  }) as unknown as VeleroPorts;

const backupIn = (phase: DataPathPhase | undefined, memory?: string, more: object = {}): PodVolume => ({
  ...sampleBackup,
  metadata: {
    ...sampleBackup.metadata,
    finalizers: [POD_VOLUME],
    annotations: memory === undefined ? {} : { [MEMORY_ANNOTATION]: memory },
    ...more,
  },
  ...(phase === undefined ? {} : { status: { phase, acceptedTimestamp: AT } }),
});

const reconcile = (ports: VeleroPorts, object: PodVolume) =>
  reconcilePodVolume(
    ports,
    {
      resource: podVolumeBackupResource as unknown as Resource<PodVolume>,
      cache: { get: () => object } as unknown as Cache<PodVolume>,
    },
    keyOf(object),
    new AbortController().signal,
  );

describe("in a namespace that did not consent", () => {
  test.each<[string, PodVolume]>([
    ["is new", backupIn(undefined)],
    ["is new, with a memory that somebody wrote", backupIn("New", FORGED)],
    ["is new and canceled", backupIn("New", undefined, { deletionTimestamp: AT })],
    ["another agent has accepted, long ago", backupIn("Accepted")],
    ["another agent works on, and somebody deletes", backupIn("InProgress", "{}", { deletionTimestamp: AT })],
    ["has ended, and is held by another agent", backupIn("Completed", FORGED)],
  ])("nothing is written to what %s", async (_, object) => {
    const ports = portsWith("elsewhere");
    await (ports.clock as VirtualClock).advance(3_600_000);
    expect(await reconcile(ports, object)).toEqual(done);
    expect(calls).toEqual([]);
  });

  test.each<DataPathPhase>(["Accepted", "Prepared", "InProgress", "Canceling"])(
    "what says that it was accepted here ends without a mover: %s",
    async (phase) => {
      expect(await reconcile(portsWith("elsewhere"), backupIn(phase, FORGED))).toEqual(done);
      expect(calls).toEqual([
        "end runs",
        {
          metadata: { resourceVersion: "1", annotations: { [MEMORY_ANNOTATION]: null }, finalizers: [] },
          status: {
            phase: "Failed",
            completionTimestamp: AT,
            message:
              "Namespace velero does not let movers read and write the volumes of pods. Create the object in the namespace of Velero, or annotate this one with velero.io/allow-privileged-movers=true.",
          },
        },
      ]);
    },
  );

  test("the log says so once", async () => {
    const ports = portsWith("elsewhere");
    await reconcile(ports, backupIn("New"));
    await reconcile(ports, backupIn("Accepted"));
    expect(lines).toEqual([expect.stringContaining("Its objects are left alone.")]);
  });
});

test("in Velero's namespace an object is worked on, and says what it waits for", async () => {
  await reconcile(portsWith("velero"), backupIn("New"));
  expect(calls).toMatchObject([{ status: { message: "BackupStorageLocation default does not exist." } }]);
});

test.each<DataPathPhase>(["Completed", "Failed", "Canceled"])(
  "a server brings an object back as it was stored, with the finalizer of any agent, and it is freed: %s",
  async (phase) => {
    const labels = { [LABELS.exposeOngoing]: "true", "velero.io/backup-name": "nightly" };
    expect(await reconcile(portsWith("velero"), backupIn(phase, undefined, { labels }))).toEqual(done);
    expect(calls).toEqual([
      "end runs",
      { metadata: { resourceVersion: "1", labels: { [LABELS.exposeOngoing]: null }, finalizers: [] } },
    ]);
    calls.length = 0;
    expect(await reconcile(portsWith("velero"), backupIn(phase, undefined, { finalizers: [] }))).toEqual(
      done,
    );
    expect(calls).toEqual([]);
  },
);

describe("what Velero's own node agent has begun", () => {
  const velero = { spec: { containers: [{ command: ["/velero"] }] }, status: { phase: "Running" } };

  test.each<DataPathPhase>(["Accepted", "Prepared", "InProgress"])("is left to it: %s", async (phase) => {
    agents = [velero];
    expect(await reconcile(portsWith("velero"), backupIn(phase))).toEqual(requeueAfter(60_000));
    expect(calls).toEqual([]);
  });

  test.each<DataPathPhase>(["Accepted", "Prepared", "InProgress"])(
    "fails once that is gone, with or without a time: %s",
    async (phase) => {
      const object = { ...backupIn(phase), status: { phase } } as PodVolume;
      await reconcile(portsWith("velero"), object);
      expect(calls).toMatchObject([
        {
          metadata: { finalizers: [] },
          status: {
            phase: "Failed",
            message:
              "Velero's node agent, which had begun it, is gone, and nothing else can go on with it. Back the pod up again.",
          },
        },
        "end runs",
      ]);
    },
  );
});

test("what an operator left of the runs of an object that has ended goes, and nothing more is written", async () => {
  forgotten = [{ type: "Cancel" }];
  await reconcile(portsWith("velero"), backupIn("Canceled", undefined, { finalizers: [] }));
  expect(calls).toEqual(["end runs"]);
});

test.each<DataPathPhase>(["Accepted", "Prepared", "InProgress", "Canceling"])(
  "a folder that somebody noted in an object makes no mover, and fails it: %s",
  async (phase) => {
    await reconcile(portsWith("velero"), backupIn(phase, FORGED));
    expect(calls).toMatchObject([
      { status: { phase: "Failed", message: expect.stringContaining("The folder /etc that was noted") } },
      "end runs",
    ]);
  },
);

test("a backup whose location goes while it works fails after a while, though nobody sees its run", async () => {
  const ports = portsWith("velero");
  const hostPath = "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir/data";
  const exposed = { node: "n1", hostPath };
  const gone = "BackupStorageLocation default does not exist any more.";
  await reconcile(ports, backupIn("InProgress", JSON.stringify({ exposed })));
  const memory = JSON.stringify({ exposed, strandedSince: AT, said: gone });
  expect(calls).toMatchObject([
    { metadata: { annotations: { [MEMORY_ANNOTATION]: memory } }, status: { message: gone } },
  ]);
  await (ports.clock as VirtualClock).advance(600_000);
  await reconcile(ports, backupIn("InProgress", memory));
  expect(calls.slice(1)).toMatchObject([
    { status: { phase: "Failed", message: `Timed out: ${gone}` } },
    "end runs",
  ]);
});
