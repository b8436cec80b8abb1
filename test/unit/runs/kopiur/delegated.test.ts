import fc from "fast-check";
import { expect, test } from "vitest";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { Namespaces } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

const OFFICE = "office";

interface Story extends KopiurWorldOptions {
  /** When the Backup that asks is deleted; beyond the last turn, after its end. */
  readonly deletedAt: number;
}

const story: fc.Arbitrary<Story> = fc.record({
  copyMethod: fc.constantFrom("Direct", "Snapshot"),
  // The first forty or so requests of an operator are its lists.
  deaths: fc.array(fc.record({ request: fc.integer({ min: 30, max: 80 }), carriedOut: fc.boolean() }), {
    maxLength: 4,
  }),
  deletedAt: fc.integer({ min: 0, max: 16 }),
});

const TURNS = 12;

async function tell({ deletedAt, ...options }: Story): Promise<void> {
  await using world = await new KopiurWorld(options).start();
  const { client } = world;
  await client.create(Namespaces, { metadata: { name: OFFICE } });
  const patch = { spec: { allowedNamespaces: { list: [OFFICE] } } };
  const recipe = { namespace: NAMESPACE, name: "data" };
  await client.patch(backupConfigResource, recipe, { type: "merge", patch } as never);
  const asked = { namespace: OFFICE, name: "asked" };
  await client.create(backupResource, { metadata: asked, spec: { configRef: recipe } });
  const asking = async (): Promise<Backup | undefined> =>
    (await client.list(backupResource, { namespace: OFFICE })).items[0];

  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === deletedAt) await client.delete(backupResource, asked);
    await world.turns(1);
  }
  if (deletedAt >= TURNS) {
    await world.until("it has succeeded", async () => (await asking())?.status?.phase === "Succeeded");
    const [delegate, ...others] = await world.backups();
    expect(others).toEqual([]);
    expect((await asking())?.status?.backupRef).toMatchObject({
      namespace: NAMESPACE,
      name: delegate?.metadata.name,
      uid: delegate?.metadata.uid,
    });
    expect(delegate?.status?.snapshots).toHaveLength(1);
    expect(world.repository.snapshots).toHaveLength(1);
    await client.delete(backupResource, asked);
  }
  await world.until("it is gone", async () => (await asking()) === undefined);
  await world.lifetimesPass();
  expect(await world.backups(), "what did the work goes with what asked for it").toEqual([]);
  expect(world.repository.snapshots, "snapshots").toEqual([]);
  expect(await world.leftovers(), "what is left in the cluster").toEqual([]);
}

test("a recipe that is run for another namespace is run once, and leaves nothing, however often the operator dies", {
  timeout: 240_000,
}, async () => {
  await fc.assert(fc.asyncProperty(story, tell), { numRuns: 12 });
});
