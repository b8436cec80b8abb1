import { afterAll, beforeAll, expect, test } from "vitest";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { CliGround, type RunOptions } from "./cli_ground.ts";

const namespace = "default";
let ground: CliGround;

async function put(
  resource: Resource,
  name: string,
  more: object,
  metadata: object = {},
): Promise<KubeObject> {
  return ground.client.create(resource, {
    metadata: { namespace, name, ...metadata },
    ...more,
  } as Draft<KubeObject>);
}

const podSpec = (claim: string) => ({
  containers: [{ name: "main", image: "app" }],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
});

beforeAll(async () => {
  ground = await CliGround.open();
  for (const name of ["free", "bare", "kept"]) {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await put(PersistentVolumeClaims, name, { spec });
  }
  const recipe = { repository: { name: "r" }, sources: [{ pvc: { name: "free" } }], copyMethod: "Direct" };
  await put(backupConfigResource, "documents", { spec: recipe });
  await put(Pods, "loner", { spec: podSpec("bare") });
  const { apiVersion, kind, metadata } = await put(StatefulSets, "keeper", {
    spec: {
      replicas: 1,
      serviceName: "keeper",
      selector: { matchLabels: { app: "keeper" } },
      template: { metadata: { labels: { app: "keeper" } }, spec: podSpec("kept") },
    },
  });
  const owner = { apiVersion, kind, name: "keeper", uid: metadata.uid, controller: true };
  await put(Pods, "keeper-0", { spec: podSpec("kept") }, { ownerReferences: [owner] });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

/** How it ends without a yes: 6 where it would have been asked for. */
const asked = (claim: string, more = "", options: RunOptions = {}) =>
  ground.run(`restore config/documents --into ${claim}${more}`, options);

test.each([
  ["bare", "", "Add --scale-down"],
  ["kept", "", "Add --scale-down"],
  ["bare", " --scale-down", "End what uses it."],
])("a restore into %s%s is refused before anybody is asked", async (claim, more, fix) => {
  const { code, stdout, stderr } = await asked(claim, `${more} --yes`);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(
    `error: the claim default/${claim} is in use\n  why: PersistentVolumeClaim ${claim} is`,
  );
  expect(stderr).toContain(`  fix: ${fix}`);
  expect((await ground.client.list(restoreResource, { namespace })).items).toEqual([]);
});

test("a claim that is not there is not waited for while somebody looks on", async () => {
  expect(await asked("fre", " --yes")).toMatchObject({
    code: 3,
    stderr:
      "error: there is no claim default/fre\n  fix: Did you mean --into free? A new claim is made with --to fre.\n",
  });
  expect(await asked("fre", " --no-wait")).toMatchObject({ code: 6 });
});

test.each([
  ["free", ""],
  ["kept", " --scale-down"],
  ["bare", " --no-wait"],
])("a restore into %s%s may be confirmed", async (claim, more) => {
  expect(await asked(claim, more)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(`the claim default/${claim}, in place`),
  });
});

test.each([
  ["", 2, "is in use by pod default/keeper-0 of StatefulSet keeper."],
  [" --scale-down", 6, "the claim default/kept, in place"],
])("whoever may not look at workloads sees what the pods tell:%s", async (more, code, text) => {
  const sender = ground.answering(({ path }) =>
    path.includes("/statefulsets")
      ? { status: 403, value: { kind: "Status", code: 403, reason: "Forbidden", message: "not you" } }
      : undefined,
  );
  expect(await asked("kept", more, { sender })).toMatchObject({
    code,
    stderr: expect.stringContaining(text),
  });
});

test.each([
  ["documnets", "Did you mean config/documents?"],
  ["everything-else", "holdfast list configs shows them"],
])("a BackupConfig %s that is not there is refused, and nothing waits for it", async (name, fix) => {
  const { code, stderr } = await ground.run(`restore config/${name} --to copy --capacity 1Gi --yes`);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`there is no BackupConfig default/${name}`)]);
  expect(stderr).toContain(fix);
  expect((await ground.client.list(restoreResource, { namespace })).items).toEqual([]);
});
