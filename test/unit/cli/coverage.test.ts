import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiView } from "../../../src/core/view/api_view.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { VIEWS } from "../../../src/main/views.ts";
import { CliGround } from "./cli_ground.ts";

let ground: CliGround;

async function put(resource: Resource, metadata: object, spec: object, status?: object): Promise<void> {
  const { metadata: made } = await ground.client.create(resource, { metadata, spec } as Draft<KubeObject>);
  const patch = { type: "merge", patch: { status } as object } as const;
  if (status) await ground.client.patch(resource, made, patch, { subresource: "status" });
}

const EXEMPT = "holdfast.dev/exempt";
const END = "2026-05-24T03:00:00Z";

beforeAll(async () => {
  ground = await CliGround.open();
  await ground.client.create(Namespaces, {
    metadata: { name: "lab", annotations: { [EXEMPT]: "nothing here lasts" } },
  });
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const namespace = "default";
  for (const name of ["data", "attic", "letters"])
    await put(PersistentVolumeClaims, { namespace, name }, claim);
  await put(
    PersistentVolumeClaims,
    { namespace, name: "cache", annotations: { [EXEMPT]: "a cache" } },
    claim,
  );
  await put(PersistentVolumeClaims, { namespace: "lab", name: "try" }, claim);
  for (const name of ["data", "letters"]) {
    const identity = { username: name, hostname: namespace, sourcePath: `/${name}` };
    await put(
      backupConfigResource,
      { namespace, name },
      { repository: { name: "r" }, sources: [{ pvc: { name } }], copyMethod: "Direct" },
      { phase: "Ready" },
    );
    await put(
      backupResource,
      { namespace, name: `${name}-1` },
      { configRef: { name } },
      {
        phase: "Succeeded",
        timing: { endTime: END },
        snapshots: [{ kopiaSnapshotID: "k", pvc: `default/${name}`, identity, sizeBytes: 7 }],
      },
    );
  }
  await put(
    backupScheduleResource,
    { namespace, name: "nightly" },
    { configRef: { name: "data" }, schedule: { cron: "0 3 * * *" } },
  );
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

test("every volume is in a row, with what protects it", async () => {
  const { code, stdout } = await ground.run("coverage");
  const ago = stdout.match(/\d+\w+ ago/)?.[0] ?? "";
  const lines = stdout.trimEnd().replaceAll(ago, "AGO").replace(/ {2,}/g, " | ").split("\n");
  expect([code, lines]).toEqual([
    0,
    [
      "4 volumes in namespace default: 1 protected, 1 by hand, 1 exempt, 1 not at all.",
      "",
      "VOLUME | COVERAGE | BY | LAST GOOD BACKUP | NEXT RUN | WHY",
      "attic | not at all | - | - | - | no BackupConfig names it",
      "letters | by hand | BackupConfig letters (kopiur) | AGO | -",
      "data | protected | BackupConfig data (kopiur) | AGO | -",
      "cache | exempt | - | - | - | a cache",
    ],
  ]);
});

test("for programs, everything is there once more, of all namespaces", async () => {
  const { code, stdout } = await ground.run("coverage -A -o json");
  const { summary, volumes } = JSON.parse(stdout);
  expect([code, summary]).toEqual([0, { protected: 1, by_hand: 1, exempt: 2, unprotected: 1 }]);
  expect(volumes.find(({ name }: { name: string }) => name === "data")).toEqual({
    namespace: "default",
    name: "data",
    coverage: "protected",
    by: [{ api: "kopiur", kind: "BackupConfig", namespace: "default", name: "data" }],
    lastGood: { backup: "data-1", at: END, bytes: 7 },
  });
  expect(volumes.find(({ name }: { name: string }) => name === "try")).toMatchObject({
    coverage: "exempt",
    exempt: "nothing here lasts",
  });
});

test("whoever may not look at namespaces sees their volumes all the same", async () => {
  const sender = ground.answering(({ path }) =>
    /\/namespaces(\/lab)?(\?|$)/.test(path)
      ? { status: 403, value: { kind: "Status", code: 403, reason: "Forbidden", message: "not you" } }
      : undefined,
  );
  const lines = async (line: string) => (await ground.run(line, { sender })).stdout.split("\n");
  expect((await lines("coverage -n lab"))[0]).toBe(
    "1 volume in namespace lab: 0 protected, 0 by hand, 0 exempt, 1 not at all.",
  );
  expect((await lines("coverage -n nowhere"))[0]).toBe(
    "There are no volumes to protect in namespace nowhere.",
  );
});

test("status shows an exemption, and does not count it", async () => {
  const { stdout } = await ground.run("status -n lab");
  expect(stdout.split("\n").slice(0, 4)).toEqual([
    "There are no volumes to protect in namespace lab.",
    "",
    expect.stringMatching(/^VOLUME +PROTECTED/),
    expect.stringMatching(/^try +exempt /),
  ]);
});

test("kinds that there are not are refused, with those that there are", async () => {
  expect(await ground.run("list shoes")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /no kind "shoes"[\s\S]*backups, restores, configs, schedules, repositories/,
    ),
  });
});

/** An API beside the native one, of which the cluster knows nothing. */
const other: ApiView = {
  api: "other",
  kinds: [
    {
      word: "ledger",
      columns: [],
      resource: { ...backupConfigResource, group: "other.io", kind: "Ledger", plural: "ledgers" },
    },
  ],
  read: () => {
    throw new Error("nothing was listed");
  },
  dependsOn: () => [],
  nextTry: () => "",
  remedies: () => [],
};
const views = [other, ...VIEWS];

test("an API that the cluster does not have says nothing", async () => {
  const { code, stdout } = await ground.run("coverage", { views });
  expect([code, stdout]).toEqual([0, (await ground.run("coverage")).stdout]);
  expect(await ground.run("coverage", { views: [other] })).toMatchObject({ code: 3, stdout: "" });
});

test("an API that may not be looked at could protect what no other does", async () => {
  const sender = ground.answering(({ path }) =>
    path.includes("/other.io/")
      ? { status: 403, value: { kind: "Status", code: 403, reason: "Forbidden", message: "not you" } }
      : undefined,
  );
  const { code, stdout } = await ground.run("coverage", { views, sender });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^attic .* you may not look at the objects of other; no BackupConfig names it$/m);
  expect(await ground.run("coverage", { views: [other], sender })).toMatchObject({ code: 4, stdout: "" });
});

test("kinds of every API are listed and completed", async () => {
  expect((await ground.run("__complete list led", { views })).stdout).toBe("ledgers\n:4\n");
  expect((await ground.run("__complete explain led", { views })).stdout).toBe("ledger/\n:6\n");
});
