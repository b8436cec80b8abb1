import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { isAlreadyExists } from "../../src/kube/api_error.ts";
import { Namespaces, Secrets } from "../../src/kube/builtin.ts";
import type { Draft } from "../../src/kube/object.ts";
import { HOUSEHOLD } from "./household.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const LABEL = "holdfast.dev/scenario";
const CREDENTIALS = "platform-credentials";

/** A repository that several namespaces use: credentials are lent to runs, and to nobody else. */
export function sharedRepositories(open: OpenWorld): void {
  let world: ScenarioWorld;
  withWorld(
    () => open({ lending: true }),
    async (opened) => {
      world = opened;
      const metadata = { name: "holdfast" };
      await world.client.create(Namespaces, { metadata }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
  );

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("a ClusterRepository serves the namespaces that it names, and no other", {
      timeout: 800_000,
    }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using platform = await Stage.enter(world, engine);
      await using first = await Stage.enter(world, engine);
      await using second = await Stage.enter(world, engine);
      await using third = await Stage.enter(world, engine);
      const name = platform.namespace;
      for (const { namespace } of [first, second]) await label(world, namespace, name);
      await using _ = await clusterRepository(platform);

      for (const stage of [first, second]) {
        await recipe(stage, { kind: "ClusterRepository", name });
        await comesBack(stage, `prod-${stage.namespace}`);
        await nothingIsLeft(stage);
      }

      await third.filledClaim("data", HOUSEHOLD);
      await recipe(third, { kind: "ClusterRepository", name });
      await refused(third, "NamespaceNotAllowed", /cannot be used from namespace/);
      await nothingIsLeft(third);

      await maintained(platform);
    });

    test("a Repository serves another namespace that it lists, and no other", {
      timeout: 800_000,
    }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using owner = await Stage.enter(world, engine);
      await using guest = await Stage.enter(world, engine);
      await using stranger = await Stage.enter(world, engine);
      const repository = {
        kind: "Repository",
        name: await owner.repositoryInS3(),
        namespace: owner.namespace,
      } as const;
      const patch = { spec: { allowedNamespaces: { list: [guest.namespace] } } };
      const place = { namespace: owner.namespace, name: repository.name };
      await world.client.patch(repositoryResource, place, { type: "merge", patch });

      await recipe(guest, repository);
      await comesBack(guest, guest.namespace);
      await nothingIsLeft(guest);

      await stranger.filledClaim("data", HOUSEHOLD);
      await recipe(stranger, repository);
      await refused(
        stranger,
        "CrossNamespaceForbidden",
        /Have .* added to the Repository's allowedNamespaces/,
      );
      await nothingIsLeft(stranger);
    });
  });
}

async function label({ client }: ScenarioWorld, namespace: string, value: string): Promise<void> {
  const patch = { metadata: { labels: { [LABEL]: value } } };
  await client.patch(Namespaces, { name: namespace }, { type: "merge", patch });
}

/** In the world's S3, with its Secret in this namespace, for the namespaces with the label. */
async function clusterRepository(stage: Stage): Promise<AsyncDisposable> {
  const { world, namespace, password, engine } = stage;
  const { client, s3 } = world;
  if (!s3) throw new Error("this world has no S3 server");
  const { bucket, endpoint, accessKey, secretKey } = s3;
  const secret = { namespace, name: CREDENTIALS };
  await client.create(Secrets, {
    metadata: secret,
    stringData: {
      KOPIA_PASSWORD: password,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
    },
  });
  const spec = {
    engine,
    backend: {
      s3: { bucket, prefix: `${namespace}/`, endpoint, region: "us-east-1", auth: { secretRef: secret } },
    },
    encryption: { passwordSecretRef: secret },
    create: { enabled: true },
    // The only Backup is deleted below.
    deletionGuard: { lastBackups: "Delete" },
    allowedNamespaces: { selector: { matchLabels: { [LABEL]: namespace } } },
    identityDefaults: { hostnameTemplate: "prod-{{ .Namespace }}" },
  };
  const draft = { metadata: { name: namespace }, spec } as unknown as Draft<ClusterRepository>;
  await client.create(clusterRepositoryResource, draft);
  const name = { name: namespace };
  const { status } = await stage.eventually(`ClusterRepository ${namespace} is ready`, async () => {
    const value = await client.get(clusterRepositoryResource, name);
    const { phase, allowedNamespaceCount: count } = value.status ?? {};
    if (phase === "Failed") throw new Error(JSON.stringify(value.status, null, 2));
    return { done: phase === "Ready" && count === 2, value };
  });
  expect(status).toMatchObject({ backend: "s3", allowedNamespaceCount: 2, uniqueID: expect.any(String) });
  expect(status?.storageStats).toMatchObject({ snapshotCount: 0 });
  return { [Symbol.asyncDispose]: async () => void (await client.delete(clusterRepositoryResource, name)) };
}

/** From the operator's namespace, where its credentials are lent as well, though that is not among the allowed ones. */
async function maintained(stage: Stage): Promise<void> {
  const { client } = stage.world;
  const key = { namespace: "holdfast", name: `cluster-${stage.namespace}` };
  const annotations = { [ANNOTATIONS.runRequested]: "quick" };
  await client.patch(maintenanceResource, key, { type: "merge", patch: { metadata: { annotations } } });
  await stage.eventually(`Maintenance ${key.name} has run`, async () => {
    const value = await client.get(maintenanceResource, key);
    if (value.status?.failure) throw new Error(JSON.stringify(value.status, null, 2));
    return { done: value.status?.quick?.lastSuccessAt !== undefined, value };
  });
}

async function recipe(
  { world, namespace }: Stage,
  repository: BackupConfig["spec"]["repository"],
): Promise<void> {
  const spec = {
    repository,
    sources: [{ pvc: { name: "data" } }],
    copyMethod: "Direct",
    mover: { privilegedMode: true },
  };
  const draft = { metadata: { namespace, name: "data" }, spec } as unknown as Draft<BackupConfig>;
  await world.client.create(backupConfigResource, draft);
}

async function comesBack(stage: Stage, hostname: string): Promise<void> {
  await stage.filledClaim("data", HOUSEHOLD);
  const wanted = await stage.describe("data");
  const backup = await stage.backup("first", "data");
  expect(backup.status?.snapshot?.identity).toMatchObject({ username: "data", hostname });
  await stage.restore("again", { backupRef: { name: "first" } }, "restored");
  expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
  await stage.restore("newest", { fromConfig: { name: "data" } }, "newest");
  // A Backup takes its snapshot along, from here as from anywhere.
  await stage.remove(restoreResource, "again");
  await stage.remove(backupResource, "first");
}

/** What was lent goes with the run that it was lent to. */
async function nothingIsLeft(stage: Stage): Promise<void> {
  const { world, namespace } = stage;
  await stage.eventually("nothing is lent any more", async () => {
    const { items } = await world.client.list(Secrets, { namespace });
    const value = items.map(({ metadata }) => metadata.name);
    return { done: value.length === 0, value };
  });
}

async function refused(stage: Stage, reason: string, message: RegExp): Promise<void> {
  const config = await stage.until(backupConfigResource, "data", "Failed");
  const ready = config.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({ status: "False", reason, message: expect.stringMatching(message) });
  await stage.beginBackup("never", "data");
  const backup = await stage.until(backupResource, "never", "Pending");
  expect(backup.status?.job).toBeUndefined();
}
