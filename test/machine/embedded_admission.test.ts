import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/embedded/store/sqlite_store.ts";
import { ANNOTATIONS, CONSENT_ANNOTATION, DERIVED_ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { type Repository, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { LABELS } from "../../src/kinds/kopiur/labels.ts";
import { Namespaces } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { ended, HoldfastHome } from "./holdfast_home.ts";

/* The webhooks of the program that people start: what is refused there never gets into the store. */

const namespace = "default";
const secretRef = { name: "keys", namespace: "platform" };

interface Manifest {
  readonly resource: Resource;
  readonly spec: object;
}

const recipe = (spec: object): Manifest => ({
  resource: backupConfigResource,
  spec: { repository: { name: "nas" }, sources: [{ pvc: { name: "data" } }], ...spec },
});

const create = (client: Client, { resource, spec }: Manifest, labels = {}) =>
  client.create(resource as Resource<KubeObject & { readonly spec: object }>, {
    metadata: { name: "it", labels, ...(resource.namespaced ? { namespace } : {}) },
    spec,
  });

const BAD: readonly (readonly [string, Manifest, number, RegExp])[] = [
  [
    "an argument that retention decides",
    recipe({ policy: { extraArgs: ["--keep-latest=1"] } }),
    422,
    /"validate\.backupconfigs\..*spec\.policy\.extraArgs\[0\]: --keep-latest cannot be passed on: .*\. Remove it/,
  ],
  [
    "privileges without the namespace's consent",
    recipe({ mover: { privilegedMode: true } }),
    403,
    /movers cannot have privileges in namespace default: .*\. Annotate the namespace with/,
  ],
  [
    "a Backup that only the operator may make",
    { resource: backupResource, spec: {} },
    403,
    /a Backup needs a configRef/,
  ],
  [
    "a schedule that never comes",
    {
      resource: backupScheduleResource,
      spec: { configRef: { name: "it" }, schedule: { cron: "0 0 31 2 *" } },
    },
    422,
    /"validate\.backupschedules\..*spec\.schedule\.cron/,
  ],
  [
    "an engine that does not speak to the storage",
    {
      resource: repositoryResource,
      spec: {
        engine: "restic",
        backend: { rclone: { remotePath: "r:p", auth: { workloadIdentity: { serviceAccountName: "s" } } } },
        encryption: { passwordSecretRef: { name: "creds" } },
      },
    },
    422,
    /identity of a ServiceAccount cannot be used yet/,
  ],
  [
    "templates that give no identity",
    {
      resource: clusterRepositoryResource,
      spec: {
        backend: { s3: { bucket: "backups", auth: { secretRef } } },
        encryption: { passwordSecretRef: secretRef },
        allowedNamespaces: { all: true },
        identityDefaults: { hostnameTemplate: "{{ .Nobody }}" },
      },
    },
    422,
    /"validate\.clusterrepositories\..*spec\.identityDefaults\.hostnameTemplate/,
  ],
];

async function isGuarded(client: Client): Promise<void> {
  for (const [what, manifest, code, message] of BAD) {
    const refused = await create(client, manifest).catch((error: unknown) => error);
    expect(refused, what).toMatchObject({ code, message: expect.stringMatching(message) });
  }
  await create(client, recipe({}));
  await client.delete(backupConfigResource, { namespace, name: "it" });
}

describe("the running program", () => {
  test("refuses bad manifests through its webhooks, and takes good ones", async () => {
    await using home = new HoldfastHome();
    await home.start();
    const { client } = await home.client();
    await isGuarded(client);
    // What depends on who writes is decided by who writes: nobody but the operator says that a schedule made it.
    const forged = { [LABELS.backupSchedule]: "daily" };
    const backup = await create(
      client,
      { resource: backupResource, spec: { configRef: { name: "it" } } },
      forged,
    );
    expect(backup.metadata.labels).toMatchObject({ [LABELS.origin]: "manual" });
    expect(backup.metadata.labels).not.toHaveProperty(LABELS.backupSchedule);
  });

  test("notes who may refer to another namespace, and its controllers go by that", {
    timeout: 120_000,
  }, async () => {
    await using home = new HoldfastHome();
    await home.start();
    const { client } = await home.client();
    await client.create(Namespaces, { metadata: { name: "vault" } });
    const repository = { kind: "Repository", name: "nas", namespace: "vault" } as const;
    const storage = {
      backend: { filesystem: { pvc: { name: "store" } } },
      encryption: { passwordSecretRef: { name: "creds" } },
    };
    await client.create(repositoryResource, {
      metadata: { name: "nas", namespace: "vault" },
      spec: storage,
    } as unknown as Draft<Repository>);
    // The one user here may get everything, so the reference is consented to; what was made up is not kept.
    const draft = recipe({ repository });
    const made = await client.create(backupConfigResource, {
      metadata: { name: "it", namespace, annotations: { [CONSENT_ANNOTATION]: "Backup/vault/secret" } },
      spec: draft.spec,
    } as unknown as Draft<BackupConfig>);
    expect(made.metadata.annotations?.[CONSENT_ANNOTATION]).toBe("Repository/vault/nas,Secret/vault/*");
    const reasonOf = async () => {
      const { status } = await client.get(backupConfigResource, { namespace, name: "it" });
      return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
    };
    await expect.poll(reasonOf, { timeout: 20_000 }).toBe("RepositoryNotReady");

    // What the operator repeats here for a recipe there needs the repository's own word: its rights count for nothing.
    const matchNames = [namespace];
    const allowed = { metadata: { annotations: { [ANNOTATIONS.allowedConfigNamespaces]: "vault" } } };
    await client.patch(Namespaces, { name: namespace }, { type: "merge", patch: allowed });
    const reaching = recipe({ sources: [{ pvcSelector: { namespaceSelector: { matchNames } } }] });
    const all = { name: "all", namespace: "vault" };
    const { metadata } = await client.create(backupConfigResource, {
      metadata: all,
      spec: reaching.spec,
    } as unknown as Draft<BackupConfig>);
    expect(metadata.annotations?.[CONSENT_ANNOTATION]).toBeUndefined();
    const messageOf = async () => {
      const { status } = await client.get(backupConfigResource, all);
      return status?.conditions?.find(({ type }) => type === "Ready")?.message;
    };
    await expect
      .poll(messageOf, { timeout: 20_000 })
      .toMatch(/cannot be written: .*Repository vault\/nas cannot be used from namespace default/);
    const patch = { spec: { allowedNamespaces: { list: [namespace] } } };
    await client.patch(repositoryResource, { name: "nas", namespace: "vault" }, { type: "merge", patch });
    let edits = 0;
    const repeated = async () => {
      // Any edit has it tried again at once; otherwise it is every few minutes.
      const touched = { metadata: { annotations: { touched: `${++edits}` } } };
      await client.patch(backupConfigResource, all, { type: "merge", patch: touched });
      const { items } = await client.list(backupConfigResource, { namespace });
      return items.map((one) => one.metadata.annotations?.[DERIVED_ANNOTATIONS.from]).filter(Boolean);
    };
    await expect.poll(repeated, { timeout: 20_000, interval: 500 }).toEqual(["vault/all"]);
  });

  test("leaves no webhook behind when it stops", async () => {
    await using home = new HoldfastHome();
    const { child } = await home.start();
    await ended(child, "SIGTERM");
    expect(child.exitCode).toBe(0);
    const store = openSqliteStore({ folder: join(home.folder, "state"), clock });
    for (const type of ["validating", "mutating"]) {
      const { objects } = store.list(`${type}webhookconfigurations.admissionregistration.k8s.io`);
      expect(objects).toEqual([]);
    }
    store.close();
  });

  test("opens its door again after it was killed, though it left its webhooks behind", async () => {
    await using home = new HoldfastHome();
    const first = await home.start();
    const { client } = await home.client();
    await create(client, recipe({}));
    await ended(first.child, "SIGKILL");
    await home.start();
    const { client: again } = await home.client();
    await again.delete(backupConfigResource, { namespace, name: "it" });
    await isGuarded(again);
    expect((await again.get(Namespaces, { name: "holdfast" })).status?.phase).toBe("Active");
  });
});
