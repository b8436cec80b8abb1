import { afterEach, expect, test, vi } from "vitest";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { CustomResourceDefinitions } from "../../../../src/kube/builtin.ts";
import { resourceName } from "../../../../src/kube/resource.ts";
import { type LogFields, silentLogger } from "../../../../src/observe/log.ts";
import { KopiurWorld } from "./kopiur_world.ts";

/* An operator that is newer than the CRDs: what it says in a field that they do not know is dropped. */

type Field = keyof NonNullable<Backup["status"]>;

afterEach(() => {
  vi.restoreAllMocks();
});

async function worldWithout(field: Field): Promise<KopiurWorld> {
  const world = await new KopiurWorld().start();
  const path = `/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/${field}`;
  const patch = { type: "json", patch: [{ op: "remove", path }] } as const;
  await world.client.patch(CustomResourceDefinitions, { name: resourceName(backupResource) }, patch);
  return world;
}

test.each<Field>(["conditions", "job", "logTail", "losses", "orphaned", "progress", "stats", "timing"])(
  "a Backup ends and is deleted where its CRD does not know status.%s",
  async (field) => {
    await using world = await worldWithout(field);
    await world.backup("a");
    await world.until("it has succeeded", async () => {
      const [backup] = await world.backups();
      return backup?.status?.phase === "Succeeded";
    });
    await world.lifetimesPass();
    expect(await world.leftovers()).toEqual([]);
    expect(world.repository.snapshots).toHaveLength(1);
    expect((await world.backups())[0]?.status).not.toHaveProperty(field);
    await world.delete("a");
    await world.until("it is gone", async () => (await world.backups()).length === 0);
    expect(world.repository.snapshots).toEqual([]);
  },
);

test("the log names the field that is dropped, as something that has to be put right around the object", async () => {
  const lines: LogFields[] = [];
  for (const level of ["warn", "error"] as const) {
    vi.spyOn(silentLogger, level).mockImplementation((fields) => void lines.push(fields));
  }
  await using world = await worldWithout("timing");
  await world.backup("a");
  await world.until("it is told", async () => lines.some(({ reason }) => reason === "StatusDropped"));
  expect(lines).toContainEqual(
    expect.objectContaining({
      class: "structural",
      reason: "StatusDropped",
      error: expect.stringMatching(/dropped status\.timing of Backup shop\/a: .* Install the definitions/),
    }),
  );
});
