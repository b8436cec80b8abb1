import { describe, expect, test } from "vitest";
import type { KnownBackups } from "../../../../src/core/catalog/truth/known_backups.ts";
import { backupConfigResource } from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { ConfigMaps, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { type DeathAt, NAMESPACE, PlumberRunWorld } from "./plumber_world.ts";

const MINUTE = 60_000;
const KINDS: readonly Resource[] = [backupConfigResource, backupScheduleResource, restoreResource];
const ANYTIME = { mode: "enforce", minBackupAge: "0s", refreshInterval: "24h" };

/** A PVC that is backed up, and then gone. */
async function gone(death?: DeathAt): Promise<PlumberRunWorld> {
  const world = await new PlumberRunWorld(ANYTIME).start();
  await world.publish(new Map());
  await world.apply("data", { "pvc-plumber.io/backup-identity": "library" });
  await world.bind("data");
  await world.turns(5);
  for (const kind of KINDS) expect(await world.all(kind)).toHaveLength(1);
  await world.operator(death);
  await world.remove("data");
  await world.turns(3);
  return world;
}

async function left(world: PlumberRunWorld): Promise<readonly string[]> {
  const lists = await Promise.all(KINDS.map(async (kind) => (await world.all(kind)).map(() => kind.kind)));
  return lists.flat();
}

const consents = async ({ client }: PlumberRunWorld) =>
  Object.keys(
    (await client.get(ConfigMaps, { namespace: "holdfast", name: "pvc-plumber-consents" })).data ?? {},
  );

const marks = async (world: PlumberRunWorld) => {
  const lists = await Promise.all(KINDS.map((kind) => world.all(kind)));
  return lists.flat().map(({ metadata }) => metadata.annotations?.["pvc-plumber.io/unused-since"]);
};

describe("the objects of a PVC that is gone", () => {
  test("are marked, stay for a while, and go; and with them what the PVC was lent", async () => {
    await using world = await gone();
    expect((await marks(world)).filter(Boolean)).toHaveLength(3);
    await world.turns(2, 5 * MINUTE);
    expect(await left(world)).toHaveLength(3);
    expect(await consents(world)).toHaveLength(1);
    await world.turns(5, 2 * MINUTE);
    expect(await left(world)).toEqual([]);
    expect(await consents(world)).toEqual([]);
    // Three marks, three deletions, one consent.
    expect(world.writes).toBe(7);
  });

  test("lose their mark when the PVC comes back, and stay", async () => {
    await using world = await gone();
    await world.apply("data", { "pvc-plumber.io/backup-identity": "library" });
    await world.bind("data");
    await world.turns(30, MINUTE);
    expect(await left(world)).toHaveLength(3);
    expect((await marks(world)).filter(Boolean)).toEqual([]);
    expect(await consents(world)).toHaveLength(1);
  });

  const deaths = [1, 2, 3, 4, 5, 6, 7].flatMap((write) =>
    [false, true].map((carriedOut): DeathAt => ({ write, carriedOut })),
  );
  test.each(deaths)("are gone in the end, and not before, where the operator dies at %j", async (death) => {
    await using world = await gone(death);
    const since = world.clock.now();
    const again = async () => {
      if (world.died) await world.operator();
    };
    while (world.clock.now() < since + 13 * MINUTE) {
      await again();
      expect(await left(world)).toHaveLength(3);
      await world.turns(1, MINUTE);
    }
    for (let n = 0; n < 20; n++) {
      await again();
      await world.turns(2, MINUTE);
    }
    expect(await left(world)).toEqual([]);
  });
});

test("a bound PVC whose value becomes wrong keeps its objects as they are, until that is put right", async () => {
  await using world = await new PlumberRunWorld(ANYTIME).start();
  await world.publish(new Map());
  await world.apply("data", { "pvc-plumber.io/backup-identity": "library", "pvc-plumber.io/uid": "7" });
  await world.bind("data");
  await world.turns(5);
  const versions = async () => {
    const lists = await Promise.all(KINDS.map((kind) => world.all(kind)));
    return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`);
  };
  const before = await versions();
  expect(before).toHaveLength(3);
  await world.edit("data", {
    annotations: { "pvc-plumber.io/backup-identity": "Library", "pvc-plumber.io/uid": "me" },
  });
  await world.turns(5);
  const [claim] = await world.all(PersistentVolumeClaims);
  expect(claim?.metadata.annotations?.["pvc-plumber.io/source-state"]).toBe("error");
  expect(world.told).toContainEqual(
    expect.objectContaining({ type: "Warning", reason: "InvalidAnnotation" }),
  );
  expect(await versions()).toEqual(before);
  await world.edit("data", {
    annotations: { "pvc-plumber.io/backup-identity": "library", "pvc-plumber.io/uid": "8" },
  });
  await world.turns(5);
  const [config] = await world.all(backupConfigResource);
  expect(config?.spec).toMatchObject({
    identity: { username: "library", hostname: "pvc-plumber" },
    mover: { securityContext: { runAsUser: 8 } },
  });
});

test("a hundred PVCs that come at once get each its own data, and none a backup before", {
  timeout: 60_000,
}, async () => {
  await using world = await new PlumberRunWorld({ ...ANYTIME, mode: "strict" }).start();
  const names = Array.from({ length: 100 }, (_, n) => `data-${n}`);
  const known: KnownBackups = new Map(
    names.map((name) => [`${NAMESPACE}/${name}`, { newestAt: "1970-01-01T00:00:00Z" }] as const),
  );
  await world.publish(known);
  const claims = await Promise.all(names.map((name) => world.apply(name)));
  expect(claims.map(({ spec }) => spec?.dataSourceRef?.name)).toEqual(names.map((name) => `${name}-dst`));
  await world.turns(10);
  const restores = await world.all(restoreResource);
  expect(
    restores.map(({ metadata, spec }) => [metadata.name, spec.source.identity?.username]).sort(),
  ).toEqual(names.map((name) => [`${name}-dst`, name]).sort());
  for (const { spec } of restores) expect(spec.policy.onMissingSnapshot).toBe("Fail");
  expect(await world.all(backupScheduleResource)).toEqual([]);
  for (const name of names) await world.bind(name);
  await world.turns(10);
  expect([...(await world.names(backupScheduleResource))].sort()).toEqual([...names].sort());
  const states = (await world.all(PersistentVolumeClaims)).map(
    ({ metadata }) => metadata.annotations?.["pvc-plumber.io/source-state"],
  );
  expect(new Set(states)).toEqual(new Set(["ready"]));
});
