import { expect, test } from "vitest";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

const NAME = { namespace: NAMESPACE, name: "over" };

test.each([
  ["its own", "store", "Repository shop/nas"],
  ["another one", "shelf", "Repository shop/other"],
])(
  "without a webhook nothing is restored into the PVC of a repository: %s",
  { timeout: 60_000 },
  async (_, claim, holder) => {
    await using world = await new KopiurWorld({}).start();
    const { client } = world;
    await world.storage.claim(NAMESPACE, "shelf");
    await client.create(repositoryResource, {
      metadata: { namespace: NAMESPACE, name: "other" },
      spec: {
        backend: { filesystem: { pvc: { name: "shelf" } } },
        encryption: { passwordSecretRef: { name: "creds" } },
      } as never,
    });
    await world.backup("one");
    const succeeded = async () => (await world.backups())[0]?.status?.phase === "Succeeded";
    await world.until("there is a Backup", succeeded, 200);
    await client.create(restoreResource, {
      metadata: NAME,
      spec: {
        source: { backupRef: { name: "one" } },
        target: { pvcRef: { name: claim } },
        options: { existingFiles: "Overwrite", enableFileDeletion: true },
      },
    } as unknown as Restore);
    const ready = async () => {
      const { status } = await client.get(restoreResource, NAME);
      return status?.conditions?.find(({ type }) => type === "Ready");
    };
    await world.until("it is refused", async () => (await ready())?.reason === "HoldsRepository", 60);
    expect((await ready())?.message).toContain(`it holds the backups of ${holder}`);
    await world.turns(60);
    expect(world.node.started.filter((run) => run.startsWith("over-"))).toEqual([]);
  },
);
