import { expect, test } from "vitest";
import { resticBackupResource } from "../../../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRestoreResource } from "../../../../src/kinds/autorestore/generated/restic_restore.ts";
import { Jobs } from "../../../../src/kube/builtin.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import type { Fate } from "../fake_node.ts";
import { AutorestoreWorld, type AutorestoreWorldOptions } from "./autorestore_world.ts";

const BACK = { namespace: "home", name: "back" };
const FAILS: Fate = { type: "fails", class: "InvalidOption" };

/** A restore that somebody made, and that has failed. */
async function failed(options: AutorestoreWorldOptions, spec: object) {
  const world = await new AutorestoreWorld(options).start();
  world.keepSnapshot("plain");
  await world.claim("plain", false);
  await world.bind("plain");
  await world.create(resticRestoreResource, BACK.name, { targetPVC: "plain", ...spec });
  return world;
}

const phaseOf = async (world: AutorestoreWorld) =>
  (await world.client.get(resticRestoreResource, BACK)).status?.phase;

/** What GitOps does that applies an old manifest with another annotation. */
async function edited(world: AutorestoreWorld, resource: Resource, name: typeof BACK): Promise<void> {
  const annotations = { "backup.datarestor-operator.com/note": "edited" };
  await world.client.patch(resource as Resource<KubeObject>, name, {
    type: "merge",
    patch: { metadata: { annotations } } as never,
  });
  await world.turns(60);
}

const nas = { backupTarget: { repository: { name: "nas" } } };

test.each<[string, AutorestoreWorldOptions, object]>([
  ["while it wrote", { restoreFates: [FAILS] }, nas],
  ["when it asked for its snapshot", { askFates: [FAILS] }, nas],
])("a restore that failed %s never runs again", { timeout: 120_000 }, async (_, options, spec) => {
  await using world = await failed(options, spec);
  await world.until("it has failed", async () => (await phaseOf(world)) === "Failed");
  await world.turns(10);
  const jobs = (await world.all(Jobs)).map(({ metadata }) => metadata.name);
  await edited(world, resticRestoreResource as Resource, BACK);
  expect(await phaseOf(world)).toBe("Failed");
  const later = (await world.all(Jobs)).map(({ metadata }) => metadata.name);
  expect(later.filter((name) => !jobs.includes(name))).toEqual([]);
});

test("a restore whose source failed does not begin when there is a good one of that name", {
  timeout: 120_000,
}, async () => {
  await using world = await failed({ backupFates: [FAILS] }, { backupName: "monday" });
  const monday = { pvcRef: { name: "plain" }, repositoryRef: { name: "nas" } };
  await world.create(resticBackupResource, "monday", monday);
  await world.until("it has failed", async () => (await phaseOf(world)) === "Failed");
  const name = { namespace: "home", name: "monday" };
  const phase = async () => (await world.client.get(resticBackupResource, name)).status?.phase;
  await edited(world, resticBackupResource as Resource, name);
  expect(await phase()).toBe("Failed");
  await world.client.delete(resticBackupResource, name);
  await world.until("it is gone", async () => (await world.backups).length === 0);
  await world.create(resticBackupResource, "monday", monday);
  await world.until("the new one is done", async () => (await phase()) === "Completed");
  await edited(world, resticRestoreResource as Resource, BACK);
  expect(await phaseOf(world)).toBe("Failed");
});
