import { afterAll, beforeAll, expect, test } from "vitest";
import { condition } from "../../../src/cli/testing/cli_samples.ts";
import { DERIVED_ANNOTATIONS } from "../../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { CliGround, type RunOptions } from "./cli_ground.ts";

/* A recipe of the namespace `ops`, repeated beside the claims of `default`. */

let ground: CliGround;

async function put(resource: Resource, metadata: object, spec: object, status?: object): Promise<void> {
  const { metadata: made } = await ground.client.create(resource, { metadata, spec } as Draft<KubeObject>);
  const patch = { type: "merge", patch: { status } as object } as const;
  if (status) await ground.client.patch(resource, made, patch, { subresource: "status" });
}

beforeAll(async () => {
  ground = await CliGround.open();
  await ground.client.create(Namespaces, { metadata: { name: "ops" } });
  const namespace = "default";
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await put(PersistentVolumeClaims, { namespace, name: "data" }, claim);
  const identity = { username: "all", hostname: namespace, sourcePath: "/data" };
  const sources = [{ pvc: "default/data", sourcePath: "/data" }];
  await put(
    backupConfigResource,
    { namespace, name: "all-1x2y3z", annotations: { [DERIVED_ANNOTATIONS.from]: "ops/all" } },
    { repository: { name: "r" }, sources: [{ pvcSelector: {} }], copyMethod: "Direct" },
    { phase: "Ready", resolved: { identity: { username: "all", hostname: namespace, sources } } },
  );
  await put(
    backupResource,
    { namespace, name: "b" },
    { configRef: { name: "all-1x2y3z" } },
    { phase: "Succeeded", snapshots: [{ kopiaSnapshotID: "k1", pvc: "default/data", identity }] },
  );
  const schedule = { configRef: { name: "all" }, schedule: { cron: "0 3 * * *" } };
  await put(backupScheduleResource, { namespace: "ops", name: "nightly" }, schedule);
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

async function protection(line: string, options: RunOptions = {}): Promise<unknown> {
  const { code, stdout, stderr } = await ground.run(`${line} -o json`, options);
  expect([code, stderr]).toEqual([0, ""]);
  const [volume] = JSON.parse(stdout).volumes;
  return volume.protection;
}

test.each(["status", "status -A"])("%s finds the schedule of a recipe that is repeated", async (line) => {
  expect(await protection(line)).toBe("yes");
});

test("a name that is not there is answered with the one that is", async () => {
  const metadata = { namespace: "default", name: "monday" };
  await ground.client.create(backupResource, { metadata, spec: { configRef: { name: "documents" } } });
  for (const line of [
    "explain backup/munday",
    "retry munday",
    "delete munday --yes",
    "restore munday --to x",
  ])
    expect(await ground.run(`${line} -n default`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('"munday" not found\n  fix: Did you mean backup/monday?\n'),
    });
  expect(await ground.run("explain backup/friday -n default")).toMatchObject({
    stderr: expect.stringContaining("fix: Check the name and the namespace"),
  });
});

test("a namespace that is not there is no comfort", async () => {
  for (const line of ["status", "list backups"])
    expect(await ground.run(`${line} -n defualt`)).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "error: there is no namespace defualt\n  fix: Did you mean -n default?\n",
    });
});

test("whoever may not look there is told whose schedule it is", async () => {
  const sender = ground.answering(({ path }) =>
    path.includes("/namespaces/ops/")
      ? { status: 403, value: { kind: "Status", code: 403, reason: "Forbidden", message: "not you" } }
      : undefined,
  );
  expect(await protection("status", { sender })).toBe("elsewhere");
  expect((await ground.run("status", { sender })).stdout).toMatch(/^data +by ops\/all /m);
});

test("for programs, a problem says where it is", async () => {
  const failure = { errorClass: "TargetFull", message: "the volume is full", retry: "structural" };
  await put(
    restoreResource,
    { namespace: "default", name: "back" },
    { source: { backupRef: { name: "b" } }, target: { pvcRef: { name: "data" } } },
    { phase: "Failed", failure },
  );
  const { code, stdout } = await ground.run("status -A -o json");
  const { problems } = JSON.parse(stdout);
  expect([code, problems]).toEqual([
    0,
    [{ namespace: "default", name: "back", kind: "Restore", why: "the volume is full" }],
  ]);
});

test("what a recipe and a schedule lack is on the screen, and in no other namespace's", async () => {
  const namespace = "bare";
  await ground.client.create(Namespaces, { metadata: { name: namespace } });
  const sources = [{ pvc: "bare/documents", sourcePath: "/documents" }];
  await put(
    backupConfigResource,
    { namespace, name: "documents" },
    { repository: { name: "r" }, sources: [{ pvc: { name: "documents" } }], copyMethod: "Direct" },
    { phase: "Ready", resolved: { identity: { username: "documents", hostname: namespace, sources } } },
  );
  const schedule = { configRef: { name: "gone" }, schedule: { cron: "0 3 * * *" } };
  const conditions = [
    condition("Ready", "False", "ConfigNotFound", "BackupConfig bare/gone does not exist."),
  ];
  await put(backupScheduleResource, { namespace, name: "nightly" }, schedule, { conditions });
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const lines = async (line: string) => {
    const { code, stdout } = await ground.run(line);
    expect(code).toBe(0);
    return stdout.split("\n").filter((one) => one !== "");
  };
  expect(await lines("status -n bare")).toEqual([
    "There are no volumes to protect in namespace bare; 2 things need a look.",
    "wrong: BackupConfig documents: not there: bare/documents",
    "wrong: BackupSchedule nightly: BackupConfig bare/gone does not exist.",
  ]);
  expect(await lines("status -A")).toEqual(
    expect.arrayContaining(["wrong: BackupConfig bare/documents: not there: bare/documents"]),
  );
  expect((await lines("status")).join("\n")).not.toContain("documents");
  await put(PersistentVolumeClaims, { namespace, name: "documents" }, claim);
  expect((await lines("status -n bare")).join("\n")).not.toContain("not there");
});
