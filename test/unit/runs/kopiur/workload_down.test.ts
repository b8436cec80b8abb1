import { expect, test } from "vitest";
import { type Restore, restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { type Pod, Pods, StatefulSets } from "../../../../src/kube/builtin.ts";
import { APP_IMAGE, MOVER_IMAGE } from "../fake_node.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

/* A Restore in place whose workload is at zero, and whose mover is to run as that workload's pod. */

const TIMEOUT = { timeout: 60_000 };
const RESTORE = { namespace: NAMESPACE, name: "again" };
const APP = { namespace: NAMESPACE, name: "db" };
const FROM = { inheritSecurityContextFrom: { podSelector: { matchLabels: { app: "db" } } } };

/** A world with a Backup, and a workload that uses the volume. */
async function worldWith(options: KopiurWorldOptions = {}): Promise<KopiurWorld> {
  const world = await new KopiurWorld(options).start();
  await world.backup("one");
  const made = async () => (await world.backups()).every(({ status }) => status?.phase === "Succeeded");
  await world.until("there is a Backup", made, 200);
  const labels = { app: "db" };
  const containers = [{ name: "db", image: APP_IMAGE, volumeMounts: [{ name: "data", mountPath: "/data" }] }];
  const spec = {
    securityContext: { runAsUser: 999 },
    containers,
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
  };
  const set = await world.client.create(StatefulSets, {
    metadata: APP,
    spec: {
      replicas: 1,
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  } as never);
  const owner = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    name: "db",
    uid: set.metadata.uid,
    controller: true,
  };
  await world.client.create(Pods, {
    metadata: { namespace: NAMESPACE, name: "db-0", labels, ownerReferences: [owner] },
    spec: { ...spec, nodeName: "node-1" },
  } as never);
  await world.turns(3);
  return world;
}

async function restoreInPlace(world: KopiurWorld, spec: object = {}): Promise<void> {
  const whole = {
    source: { backupRef: { name: "one" } },
    target: { pvcRef: { name: "data", scaleDownWorkloads: true } },
    options: { existingFiles: "Overwrite" },
    mover: FROM,
    ...spec,
  };
  await world.client.create(restoreResource, { metadata: RESTORE, spec: whole } as unknown as Restore);
}

const replicas = async ({ client }: KopiurWorld) => (await client.get(StatefulSets, APP)).spec?.replicas;
const restoreIn = ({ client }: KopiurWorld): Promise<Restore> => client.get(restoreResource, RESTORE);
const isOver = (world: KopiurWorld, phase: string) => async () =>
  (await restoreIn(world)).status?.phase === phase;
const readyOf = ({ status }: Restore) => status?.conditions?.find(({ type }) => type === "Ready");

/** What scales the workload's pods does so. */
async function scaledDown(world: KopiurWorld): Promise<void> {
  await world.until("the workload is scaled down", async () => (await replicas(world)) === 0, 100);
  await world.client.delete(Pods, { namespace: NAMESPACE, name: "db-0" });
}

/** As whom the movers of Restores ran. */
async function usersOf({ client }: KopiurWorld): Promise<readonly (number | undefined)[]> {
  const { items } = await client.list(Pods, { namespace: NAMESPACE });
  const isRestore = ({ metadata }: Pod) => metadata.name.startsWith("again");
  const mover = items.filter(isRestore).flatMap(({ spec }) => spec?.containers ?? []);
  return mover.filter(({ image }) => image === MOVER_IMAGE).map(({ securityContext: own }) => own?.runAsUser);
}

test("the mover runs as the pod that was scaled down for it, in every attempt", TIMEOUT, async () => {
  await using world = await worldWith({ restoreFates: [{ type: "fails", class: "Unreachable" }] });
  await restoreInPlace(world);
  await scaledDown(world);
  const users = new Set<number | undefined>();
  const watched = async () => {
    for (const user of await usersOf(world)) users.add(user);
  };
  for (let n = 0; n < 200 && !(await isOver(world, "Completed")()); n++) await world.turns(1, watched);
  const { status } = await restoreIn(world);
  expect(status).toMatchObject({ phase: "Completed", job: { attempts: 2 } });
  expect([...users]).toEqual([999]);
  await world.until("the workload is back", async () => (await replicas(world)) === 1, 30);
});

test("a run that can no longer be made fails in time, and the workload comes back", TIMEOUT, async () => {
  await using world = await worldWith();
  await restoreInPlace(world, {
    mover: { ...FROM, securityContext: { runAsUser: 999 } },
    failurePolicy: { startDeadlineSeconds: 120 },
  });
  await world.until("the workload is scaled down", async () => (await replicas(world)) === 0, 100);
  const { client } = world;
  const privileged = { spec: { mover: { privilegedMode: true } } };
  await client.patch(restoreResource, RESTORE, { type: "merge", patch: privileged } as never);
  await client.delete(Pods, { namespace: NAMESPACE, name: "db-0" });
  await world.until("it has failed", isOver(world, "Failed"), 300);
  expect(readyOf(await restoreIn(world))).toMatchObject({
    reason: "PrivilegedMoverForbidden",
    message: expect.stringContaining("within 120 s"),
  });
  await world.until("the workload is back", async () => (await replicas(world)) === 1, 30);
});

test("a Restore that cannot begin is cancelled, and the workload comes back", TIMEOUT, async () => {
  await using world = await worldWith({ restoreFates: [{ type: "goesOn" }] });
  await restoreInPlace(world);
  await world.until("the workload is scaled down", async () => (await replicas(world)) === 0, 100);
  const cancel = { metadata: { annotations: { "kopiur.home-operations.com/cancel": "true" } } };
  await world.client.patch(restoreResource, RESTORE, { type: "merge", patch: cancel } as never);
  await world.until("it is over", isOver(world, "Failed"), 30);
  expect(readyOf(await restoreIn(world))?.reason).toBe("Cancelled");
  await world.until("the workload is back", async () => (await replicas(world)) === 1, 30);
  expect(world.node.started.filter((run) => run.startsWith("again-"))).toEqual([]);
});

test("a Restore whose source is not there is cancelled", TIMEOUT, async () => {
  await using world = await worldWith();
  await restoreInPlace(world, { source: { backupRef: { name: "none" } } });
  await world.turns(5);
  const cancel = { metadata: { annotations: { "kopiur.home-operations.com/cancel": "true" } } };
  await world.client.patch(restoreResource, RESTORE, { type: "merge", patch: cancel } as never);
  await world.until("it is over", isOver(world, "Failed"), 10);
  expect(readyOf(await restoreIn(world))?.reason).toBe("Cancelled");
});
