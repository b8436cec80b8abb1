import { afterAll, beforeAll, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { maintenanceResource } from "../../../src/kinds/kopiur/generated/maintenance.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { CliGround } from "./cli_ground.ts";

/* Commands that only write down what is wanted, for an operator that is not there. */

const namespace = "default";
let ground: CliGround;

async function put(resource: Resource, name: string, spec: object): Promise<void> {
  await ground.client.create(resource, { metadata: { namespace, name }, spec } as Draft<KubeObject>);
}

const phase = async (resource: Resource, name: string, said: string): Promise<void> => {
  const patch = { type: "merge", patch: { status: { phase: said } } as object } as const;
  await ground.client.patch(resource, { namespace, name }, patch, { subresource: "status" });
};

beforeAll(async () => {
  ground = await CliGround.open();
  await put(maintenanceResource, "nas", { repository: { name: "nas" } });
  const restore = { source: { backupRef: { name: "b" } }, target: { pvcRef: { name: "data" } } };
  for (const name of ["back", "done"]) await put(restoreResource, name, restore);
  await phase(restoreResource, "done", "Completed");
  await put(backupResource, "monday", { configRef: { name: "documents" } });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

const maintenance = () => ground.client.get(maintenanceResource, { namespace, name: "nas" });

test("cancel asks a restore to end, and not one that has ended", async () => {
  expect(await ground.run("cancel restore/back")).toEqual({
    code: 0,
    stdout: "Restore back is asked to end.\n",
    stderr: "",
  });
  const { metadata } = await ground.client.get(restoreResource, { namespace, name: "back" });
  expect(metadata.annotations).toMatchObject({ [ANNOTATIONS.cancel]: "true" });
  expect(await ground.run("cancel restore/done")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("It has ended: it is Completed."),
  });
});

test("a maintenance that was cancelled stays so until it is resumed", async () => {
  const { code, stdout } = await ground.run("cancel maintenance/nas");
  expect([code, stdout]).toEqual([0, expect.stringContaining("holdfast resume maintenance/nas removes it")]);
  expect((await maintenance()).metadata.annotations).toMatchObject({ [ANNOTATIONS.cancel]: "true" });
  expect((await ground.run("resume maintenance/nas")).stdout).toBe("Maintenance nas begins runs again.\n");
  expect((await maintenance()).metadata.annotations ?? {}).not.toHaveProperty([ANNOTATIONS.cancel]);
});

test("a maintenance is suspended and resumed", async () => {
  expect((await ground.run("suspend maintenance/nas")).stdout).toContain("begins no more runs");
  expect((await maintenance()).spec.schedule.suspend).toBe(true);
  const shown = JSON.parse((await ground.run("resume maintenance/nas -o json")).stdout);
  expect(shown).toMatchObject({ kind: "Maintenance", spec: { schedule: { suspend: false } } });
});

test.each([
  ["maintenance run maintenance/nas --no-wait", "quick "],
  ["maintenance run maintenance/nas --mode full --no-wait", "full "],
  ["verify maintenance/nas --no-wait", "check "],
])("%s is written down, and shown in the form that is asked for", async (line, wish) => {
  expect((await ground.run(line)).stdout).toBe(`maintenance/nas is asked for a ${wish}run\n`);
  const shown = JSON.parse((await ground.run(`${line} -o json`)).stdout);
  expect(shown).toMatchObject({ kind: "Maintenance", metadata: { name: "nas" } });
  expect(shown.metadata.annotations[ANNOTATIONS.runRequested]).toMatch(wish);
  expect((await ground.run(`${line} -o name`)).stdout).toBe("maintenance.kopiur.home-operations.com/nas\n");
});

test("a wide list has columns that others have not", async () => {
  const [narrow, wide] = await Promise.all([ground.run("list backups"), ground.run("list backups -o wide")]);
  const heads = [narrow, wide].map(({ stdout }) => stdout.split("\n")[0]?.split(/ {3,}/) ?? []);
  expect(heads[1]).toEqual(expect.arrayContaining(heads[0] ?? []));
  expect(heads[1]?.length).toBeGreaterThan(heads[0]?.length ?? 0);
  expect(wide.stdout).toMatch(/^monday +Pending/m);
});

test("a list of one is a List", async () => {
  for (const form of ["json", "yaml"])
    expect((await ground.run(`list backups -o ${form}`)).stdout).toMatch(/"?kind"?: "?List/);
});

test.each(["version", "--version"])("%s says which this is", async (line) => {
  expect(await ground.run(line)).toEqual({ code: 0, stdout: "holdfast 1.2.3\n", stderr: "" });
});

test("a name that no object can have is refused with a sentence, and nothing is asked of the cluster", async () => {
  const { code, stderr } = await ground.run("backup now documents --name B_1");
  expect(code).toBe(2);
  expect(stderr).toContain('--name is "B_1", and no object can have that name');
});

test("a plan, and whoever holds a Backup, say in which cluster", async () => {
  const planned = await ground.run("restore backup/monday --to copy --capacity 1Gi --dry-run");
  expect(planned.stdout).toMatch(/^Restore default\/\S+, in cluster https:\/\/here:\n/);
  expect((await ground.run("hold backup/monday")).stdout).toContain("is held in cluster https://here");
});

test("a Backup is deleted once it is not held, and keeps its snapshots where that is said", async () => {
  await ground.run("hold backup/monday");
  expect(await ground.run("delete backup/monday --yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Backup monday is held"),
  });
  await ground.run("unhold backup/monday");
  expect((await ground.run("delete backup/monday")).code).toBe(6);
  // Somebody has to be there to see what became of it.
  const held = { metadata: { finalizers: ["example.com/seen"] } };
  await ground.client.patch(backupResource, { namespace, name: "monday" }, { type: "merge", patch: held });
  expect(await ground.run("delete backup/monday --keep-snapshots --yes")).toMatchObject({
    code: 0,
    stdout: "backup/monday is being deleted\n",
  });
  const { metadata, spec } = await ground.client.get(backupResource, { namespace, name: "monday" });
  expect([metadata.deletionTimestamp, spec.deletionPolicy]).toEqual([expect.any(String), "Retain"]);
});
