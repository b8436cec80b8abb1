import { expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../src/kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRestoreResource } from "../../src/kinds/autorestore/generated/restic_restore.ts";
import { GROUP } from "../../src/kinds/autorestore/group.ts";
import { LABELS } from "../../src/kinds/autorestore/labels.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import {
  Deployments,
  Namespaces,
  PersistentVolumeClaims,
  Pods,
  Secrets,
  StatefulSets,
} from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { podDraft } from "./claim_pod.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import { SLEEPS } from "./stateful_workload.ts";
import type { ScenarioWorld } from "./world.ts";

const HOUR = 3_600_000;
const KEEP = { keep: "yes" };
/** The volumes of Deployment `web` and StatefulSet `db`. */
const VOLUMES = { pages: HOUSEHOLD, "data-db-0": FILMS } as const;
const NAMES = Object.keys(VOLUMES) as (keyof typeof VOLUMES)[];
const APPS = {
  web: { kind: Deployments, claim: "pages" },
  db: { kind: StatefulSets, claim: "data-db-0" },
} as const;
/** How many scheduled backups each target keeps of a volume. */
const KEPT = { near: 1, far: 2 } as const;

/** All is lost but what is in Git and in the storage: namespace, volumes, and the operator's own objects. */
export function lostHome(opened: () => ScenarioWorld): void {
  test("a Deployment and a StatefulSet that lost volumes and namespace start on identical data", {
    timeout: 600_000,
  }, async () => {
    const world = opened();
    const { clock } = world.operator;
    const home: Home = { name: `home-${systemRandom.hex(3)}`, password: systemRandom.hex(16) };
    try {
      await using first = await applied(world, home);
      await claimsOf(first);
      for (const name of NAMES) await world.put({ namespace: home.name, name }, VOLUMES[name]);
      const wanted = new Map<string, Awaited<ReturnType<Stage["describe"]>>>();
      for (const name of NAMES) wanted.set(name, await first.describe(name));
      // No run of theirs sees the clock jump.
      await restored(first, "NoSnapshot");
      await passHour(first, 1);
      const slot = await scheduled(first, 1);
      await passHour(first, 2);
      await scheduled(first, 2, slot);
      await world.client.delete(Namespaces, { name: home.name });
      await gone(first);
      clock.err(0);

      await using stage = await applied(world, home);
      if (!world.kubelet) await claimsOf(stage);
      await using _ = running(stage, await workloads(stage));
      await restored(stage, "Restored");
      for (const [name, { kind }] of Object.entries(APPS)) {
        const there = { namespace: home.name, name };
        await stage.eventually(`${kind.kind} ${name} runs`, async () => {
          const { spec } = await world.client.get(kind as Resource<Scaled>, there);
          const { items } = await world.client.list(Pods, {
            namespace: home.name,
            labelSelector: `app=${name}`,
          });
          const phases = items.map(({ status }) => status?.phase);
          return { done: spec?.replicas === 1 && phases.includes("Running"), value: { spec, phases } };
        });
      }
      for (const name of NAMES)
        expect(treeDifferences(wanted.get(name) ?? [], await stage.describe(name)), name).toEqual([]);
      await world.client.delete(StatefulSets, { namespace: home.name, name: "db" });
      await world.client.delete(Deployments, { namespace: home.name, name: "web" });
    } finally {
      clock.err(0);
    }
  });
}

type Scaled = KubeObject & { readonly spec?: { readonly replicas?: number } };

interface Home {
  readonly name: string;
  readonly password: string;
}

/** What is in Git besides the workloads: two targets in one storage, each with a retention of its own. */
async function applied(world: ScenarioWorld, { name, password }: Home): Promise<Stage> {
  const stage = await Stage.enter(world, "restic", name);
  const { client, s3 } = world;
  if (!s3) throw new Error("this world has no S3 server");
  const annotations = { [`${GROUP}/allow-privileged-movers`]: "true" };
  await client.patch(Namespaces, { name }, { type: "merge", patch: { metadata: { annotations } } });
  await client.create(Secrets, {
    metadata: { namespace: name, name: "restic" },
    stringData: { password, access: s3.accessKey, secret: s3.secretKey },
  });
  const variable = (variable: string, key: string) => ({
    name: variable,
    valueFrom: { secretKeyRef: { name: "restic", key } },
  });
  const target = (target: keyof typeof KEPT, priority: number) => ({
    name: target,
    priority,
    backupSchedule: "0 * * * *",
    retention: { keepLast: KEPT[target] },
    repository: {
      repository: `s3:${s3.endpoint}/${s3.bucket}/${name}/${target}`,
      passwordSecretRef: { name: "restic", key: "password" },
      env: [variable("AWS_ACCESS_KEY_ID", "access"), variable("AWS_SECRET_ACCESS_KEY", "secret")],
      privilegedMover: true,
    },
  });
  await client.create(backupConfigResource, {
    metadata: { namespace: name, name: "volumes" },
    spec: {
      selectors: [{ labelSelector: { matchLabels: KEEP } }],
      autoRestore: true,
      backupTargets: [target("near", 1), target("far", 2)],
    },
  } as unknown as Draft<BackupConfig>);
  return stage;
}

const claimSpec = ({ world: { storageClassName } }: Stage) => ({
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "100Mi" } },
  ...(storageClassName ? { storageClassName } : {}),
});

async function claimsOf(stage: Stage): Promise<void> {
  const { namespace, world } = stage;
  for (const name of NAMES) {
    const draft = { metadata: { namespace, name, labels: KEEP }, spec: claimSpec(stage) };
    await world.client.create(PersistentVolumeClaims, draft);
  }
}

/** On a cluster, what a StatefulSet needs is made by it. */
async function workloads(stage: Stage): Promise<readonly Draft<KubeObject>[]> {
  const { namespace, world } = stage;
  if (world.kubelet) {
    const draft = { metadata: { namespace, name: "pages", labels: KEEP }, spec: claimSpec(stage) };
    await world.client.create(PersistentVolumeClaims, draft);
  }
  return Promise.all(
    Object.entries(APPS).map(async ([name, { kind, claim }]) => {
      const pod = podDraft(stage, { name, claim, image: world.moverImage, script: SLEEPS });
      const { volumes = [], ...spec } = { ...pod.spec, containers: pod.spec?.containers ?? [] };
      const isSet = kind === StatefulSets;
      const own = {
        serviceName: name,
        volumeClaimTemplates: [{ metadata: { name: "data", labels: KEEP }, spec: claimSpec(stage) }],
      };
      await world.client.create(
        kind as Resource<KubeObject>,
        {
          metadata: { namespace, name },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name } },
              spec: { ...spec, restartPolicy: "Always", ...(isSet ? {} : { volumes }) },
            },
            ...(isSet ? own : {}),
          },
        } as Draft<KubeObject>,
      );
      return pod;
    }),
  );
}

/** Where nothing runs pods of workloads, this does. */
function running(stage: Stage, pods: readonly Draft<KubeObject>[]): AsyncDisposable {
  const { client, kubelet } = stage.world;
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      for (const pod of pods) {
        const { namespace = "", name = "" } = pod.metadata;
        const { kind } = APPS[name as keyof typeof APPS];
        const { spec, metadata } = await client.get(kind as Resource<Scaled>, { namespace, name });
        const { items } = await client.list(Pods, { namespace, labelSelector: `app=${name}` });
        const owner = { apiVersion: "apps/v1", kind: kind.kind, name, uid: metadata.uid, controller: true };
        if (spec?.replicas === 0)
          for (const one of items)
            if (!one.metadata.deletionTimestamp) await client.delete(Pods, one.metadata);
        if (spec?.replicas === 1 && items.length === 0)
          await client.create(Pods, { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
      }
      await sleep(systemClock, 100);
    }
  };
  // At the end the workloads go before this does.
  const runs = kubelet ? Promise.resolve() : run().catch(unlessGone);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await runs;
    },
  };
}

/** What the time is, the operator looks at when something changes. */
async function passHour({ namespace, world }: Stage, hours: number): Promise<void> {
  world.operator.clock.err(hours * HOUR);
  const patch = { metadata: { annotations: { hours: String(hours) } } };
  await world.client.patch(backupConfigResource, { namespace, name: "volumes" }, { type: "merge", patch });
}

/** The end of the name of a scheduled backup tells its time. */
const scheduledAt = (name: string) => name.slice(-"20260101-000000".length);

/** Each target has what it keeps of each volume, once this many scheduled times have passed: up to which one. */
async function scheduled(stage: Stage, slots: number, before?: string): Promise<string | undefined> {
  const found = await stage.eventually(`each target holds what it keeps of ${slots} backups`, async () => {
    const { items } = await stage.world.client.list(resticBackupResource, { namespace: stage.namespace });
    const value = NAMES.flatMap((name) =>
      (Object.keys(KEPT) as (keyof typeof KEPT)[]).map((target) => {
        const own = items.filter(
          ({ metadata, spec }) => spec.pvcRef.name === name && metadata.labels?.[LABELS.target] === target,
        );
        const last = own
          .map(({ metadata }) => scheduledAt(metadata.name))
          .toSorted()
          .at(-1);
        const wanted = Math.min(slots, KEPT[target]);
        const good = own.length === wanted && own.every(({ status }) => status?.phase === "Completed");
        return { target, last, good };
      }),
    );
    const times = new Set(value.map(({ last }) => last));
    return { done: value.every(({ good }) => good) && times.size === 1 && !times.has(before), value };
  });
  return found[0]?.last;
}

/** How the automatic restore of each volume ended, of which there is one. */
async function restored(stage: Stage, result: "Restored" | "NoSnapshot"): Promise<void> {
  await stage.eventually(`the restore of each volume ended with ${result}`, async () => {
    const { items } = await stage.world.client.list(resticRestoreResource, { namespace: stage.namespace });
    const value = items.map(({ spec, status }) => [
      spec.targetPVC,
      status?.phase,
      status?.result,
      status?.error,
    ]);
    const failed = items.find(({ status }) => status?.phase === "Failed");
    if (failed) throw new Error(JSON.stringify(failed.status));
    const done = items.filter(({ status }) => status?.result === result);
    return { done: done.length === NAMES.length && items.length === NAMES.length, value };
  });
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

async function gone({ namespace, world }: Stage): Promise<void> {
  for (;;) {
    const { items } = await world.client.list(Namespaces);
    if (!items.some(({ metadata }) => metadata.name === namespace)) return;
    await sleep(systemClock, 200);
  }
}
