import { describe, expect, test } from "vitest";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

/** A hook that leaves its name with the node. */
const hook = (name: string) => ({
  runJob: {
    jobSpec: {
      template: {
        metadata: { labels: { hook: name } },
        spec: { restartPolicy: "Never", containers: [{ name: "mover", image: "hook:1" }] },
      },
    },
  },
});
const HOOKS = { beforeSnapshot: [hook("freeze")], afterSnapshot: [hook("thaw")] };
const ran = ({ node }: KopiurWorld) => node.others.map(({ hook }) => hook);
const ready = (backup: Backup | undefined) =>
  backup?.status?.conditions?.find(({ type }) => type === "Ready");

async function worldWith(options: KopiurWorldOptions, ...backups: readonly string[]): Promise<KopiurWorld> {
  const world = await new KopiurWorld(options).start();
  for (const name of backups) await world.backup(name);
  return world;
}

const phaseIs = (world: KopiurWorld, phase: string) => async () =>
  (await world.backups()).every(({ status }) => status?.phase === phase);

/** A tenant of the shop's repository, whose Secret is lent. It is missing. */
async function tenant({ client, storage }: KopiurWorld, namespace: string, recipe: object): Promise<void> {
  await client.create(Namespaces, { metadata: { name: namespace } });
  for (const name of ["data", "store"]) await storage.claim(namespace, name);
  const nas = { namespace: NAMESPACE, name: "nas" };
  const allow = { spec: { allowedNamespaces: { all: true } } };
  await client.patch(repositoryResource, nas, { type: "merge", patch: allow } as never);
  await client.create(backupConfigResource, {
    metadata: { namespace, name: "data" },
    spec: {
      repository: { kind: "Repository", ...nas },
      sources: [{ pvc: { name: "data" } }],
      copyMethod: "Direct",
      ...recipe,
    } as never,
  });
  await client.create(backupResource, {
    metadata: { namespace, name: "one" },
    spec: { configRef: { name: "data" } },
  });
}

const ofTenant = async ({ client }: KopiurWorld, namespace: string) =>
  client.get(backupResource, { namespace, name: "one" });

describe("a run that cannot be made runs no hooks, says why, and has an end", () => {
  const soon = { failurePolicy: { startDeadlineSeconds: 120 } };

  test.each(["Direct", "Snapshot"] as const)(
    "without a pod to inherit from, with copyMethod %s",
    {
      timeout: 60_000,
    },
    async (copyMethod) => {
      const mover = { inheritSecurityContextFrom: { podSelector: { matchLabels: { app: "db" } } } };
      const recipe = { hooks: HOOKS, mover, ...soon };
      await using world = await worldWith({ copyMethod, recipe }, "one");
      await world.turns(100);
      const [waiting] = await world.backups();
      expect(ready(waiting)?.reason).toBe("NoWorkloadPod");
      await world.until("it has failed", phaseIs(world, "Failed"), 100);
      const [one] = await world.backups();
      expect(ready(one)).toMatchObject({
        reason: "NoWorkloadPod",
        message: expect.stringContaining("within 120 s"),
      });
      expect(one?.status?.failure).toMatchObject({ errorClass: "NoWorkloadPod" });
      expect(ran(world)).toEqual([]);
      expect(await world.leftovers()).toEqual([]);
    },
  );

  test("without the Secret that it is to be lent", { timeout: 60_000 }, async () => {
    await using world = await worldWith({ lendSecrets: true });
    await tenant(world, "office", { hooks: HOOKS, ...soon });
    const failed = async () => (await ofTenant(world, "office")).status?.phase === "Failed";
    await world.until("it has failed", failed, 200);
    expect(ready(await ofTenant(world, "office"))?.reason).toBe("SecretMissing");
    expect(ran(world)).toEqual([]);
    expect(await world.leftovers()).toEqual([]);
  });
});

test("Backups that cannot start give their slots to others, and name the cause", {
  timeout: 120_000,
}, async () => {
  const failurePolicy = { startDeadlineSeconds: 60, backoffLimit: 0 };
  await using world = await worldWith({ lendSecrets: true, maxRuns: 2 });
  for (const name of ["office", "attic"]) await tenant(world, name, { failurePolicy });
  const missed = async () => ready(await ofTenant(world, "attic"))?.reason === "SecretMissing";
  await world.until("both are missing their Secret", missed, 100);
  await world.backup("mine");
  await world.turns(5);
  const [queued] = await world.backups();
  expect(ready(queued)?.reason).toBe("Queued");
  await world.until("the other one has its turn", phaseIs(world, "Succeeded"), 500);
  const failed = async () => (await ofTenant(world, "office")).status?.phase === "Failed";
  await world.until("the first one has failed", failed, 500);
  const { status } = await ofTenant(world, "office");
  expect(status).toMatchObject({
    phase: "Failed",
    failure: {
      errorClass: "NotStarted",
      message: expect.stringMatching(/did not start within 60 s\. SecretMissing: .*shop\/creds/),
    },
  });
});

describe("a workload that was quiesced does not wait for longer than it may", () => {
  test("where its mover reads the volume and never starts", { timeout: 60_000 }, async () => {
    const recipe = { hooks: { ...HOOKS, timeout: "30s" }, failurePolicy: { backoffLimit: 1 } };
    const fates = [{ type: "neverStarts" }, { type: "succeeds" }] as const;
    await using world = await worldWith({ recipe, fates }, "one");
    await world.until("it is thawed", async () => ran(world).includes("thaw"), 60);
    expect(ran(world)).toEqual(["freeze", "thaw"]);
    await world.turns(10);
    const [one] = await world.backups();
    expect(one?.status?.failure).toMatchObject({
      errorClass: "NotStarted",
      message: expect.stringContaining("30s after the hooks before the snapshot"),
    });
    await world.until("the next attempt has succeeded", phaseIs(world, "Succeeded"), 500);
    expect(ran(world)).toEqual(["freeze", "thaw", "freeze", "thaw"]);
    await world.lifetimesPass();
    expect(await world.leftovers()).toEqual([]);
  });
});
