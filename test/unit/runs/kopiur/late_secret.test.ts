import { expect, test } from "vitest";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, Secrets } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

/** May use the shop's repository. */
const OFFICE = "office";
const KEY = { namespace: OFFICE, name: "one" };

async function begin(): Promise<KopiurWorld> {
  const world = await new KopiurWorld({ lendSecrets: true }).start();
  const { client } = world;
  await client.create(Namespaces, { metadata: { name: OFFICE } });
  for (const name of ["data", "store"]) await world.storage.claim(OFFICE, name);
  const allow = { spec: { allowedNamespaces: { list: [OFFICE] } } };
  const nas = { namespace: NAMESPACE, name: "nas" };
  await client.patch(repositoryResource, nas, { type: "merge", patch: allow } as never);
  await client.create(backupConfigResource, {
    metadata: { namespace: OFFICE, name: "data" },
    spec: {
      repository: { kind: "Repository", ...nas },
      sources: [{ pvc: { name: "data" } }],
      copyMethod: "Direct",
    } as never,
  });
  await client.create(backupResource, { metadata: KEY, spec: { configRef: { name: "data" } } });
  return world;
}

const one = (world: KopiurWorld): Promise<Backup> => world.client.get(backupResource, KEY);
const ready = ({ status }: Backup) => status?.conditions?.find(({ type }) => type === "Ready");

test("a Secret that is to be lent and is missing is named, and the run goes on once it is there", {
  timeout: 60_000,
}, async () => {
  await using world = await begin();
  const missed = async () => ready(await one(world))?.reason === "SecretMissing";
  await world.until("the Secret is missed", missed, 100);
  expect(ready(await one(world))?.message).toMatch(/Secret shop\/creds, .* does not exist\. Create it/);
  await world.turns(30);
  expect(await missed()).toBe(true);
  await world.client.create(Secrets, {
    metadata: { namespace: NAMESPACE, name: "creds" },
    data: { KOPIA_PASSWORD: "c2VjcmV0" },
  });
  await world.until("it has succeeded", async () => (await one(world)).status?.phase === "Succeeded", 400);
  await world.lifetimesPass();
  expect(await world.leftovers()).toEqual([]);
  expect(world.repository.snapshots).toHaveLength(1);
});
