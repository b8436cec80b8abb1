import { expect, test } from "vitest";
import { type Restore, restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import type { Patch } from "../../../../src/kube/client.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

const MINUTE = 60_000;
const NAME = { namespace: NAMESPACE, name: "again" };

const restoreIn = (world: KopiurWorld): Promise<Restore> => world.client.get(restoreResource, NAME);
const phaseIn = async (world: KopiurWorld) => (await restoreIn(world)).status?.phase;

test("a source that comes after the Restore has given it up is restored once the Restore is edited", {
  timeout: 60_000,
}, async () => {
  await using world = await new KopiurWorld({}).start();
  const spec = {
    source: { backupRef: { name: "one" } },
    target: { pvc: { name: "restored", capacity: "1Gi" } },
    policy: { waitTimeout: "3m" },
  };
  await world.client.create(restoreResource, { metadata: NAME, spec } as unknown as Restore);
  const begun = world.clock.now();
  await world.until("it has given up", async () => (await phaseIn(world)) === "Failed", 2000);
  const waited = world.clock.now() - begun;
  expect(waited).toBeGreaterThanOrEqual(3 * MINUTE - 1000);
  expect(waited).toBeLessThan(4 * MINUTE);
  expect((await restoreIn(world)).status?.conditions).toContainEqual(
    expect.objectContaining({ type: "Stalled", status: "True", reason: "BackupNotFound" }),
  );

  await world.backup("one");
  await world.until(
    "there is a Backup",
    async () => {
      return (await world.backups()).some(({ status }) => status?.phase === "Succeeded");
    },
    500,
  );
  await world.turns(50);
  expect(await phaseIn(world)).toBe("Failed");
  const claims = await world.client.list(PersistentVolumeClaims, { namespace: NAMESPACE });
  expect(claims.items.map(({ metadata }) => metadata.name)).not.toContain("restored");

  const patch = { spec: { policy: { waitTimeout: "4m" } } };
  await world.client.patch(restoreResource, NAME, { type: "merge", patch } as unknown as Patch<Restore>);
  await world.until("it goes on", async () => (await phaseIn(world)) !== "Failed", 100);
  expect((await restoreIn(world)).status?.resolved?.backupRef).toMatchObject({ name: "one" });
});
