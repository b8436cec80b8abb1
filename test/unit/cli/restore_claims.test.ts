import { afterAll, beforeAll, expect, test } from "vitest";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import { CliGround } from "./cli_ground.ts";

/* What a restore learns from the claims that are there, and does without where it may not look. */

const namespace = "default";
let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  const sizes = { images: "1Gi", orders: "7Gi" };
  for (const [name, storage] of Object.entries(sizes)) {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
    await ground.client.create(PersistentVolumeClaims, {
      metadata: { namespace, name },
      spec,
    } as Draft<KubeObject>);
  }
  await ground.client.create(backupResource, {
    metadata: { namespace, name: "shop" },
    spec: { configRef: { name: "shop" } },
  });
  const snapshots = ["images", "orders", "gone"].map((of) => ({
    kopiaSnapshotID: `id-${of}`,
    pvc: `${namespace}/${of}`,
    identity: { username: "shop", hostname: namespace, sourcePath: `/pvc/${of}` },
  }));
  const patch = { status: { phase: "Succeeded", snapshots } } as const;
  await ground.client.patch(
    backupResource,
    { namespace, name: "shop" },
    { type: "merge", patch },
    { subresource: "status" },
  );
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

/** Nobody may look at claims; and what was asked about them. */
function blind(): { readonly sender: HttpSender; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const value = { kind: "Status", code: 403, reason: "Forbidden", message: "not you" };
  const sender = ground.answering(({ path }) => {
    if (!path.includes("/persistentvolumeclaims")) return undefined;
    asked.push(path.replace(/.*\//, ""));
    return { status: 403, value };
  });
  return { sender, asked };
}

const planned = (more: string, sender?: HttpSender) =>
  ground.run(`restore backup/shop ${more} --dry-run`, sender ? { sender } : {});

test.each([
  ["--to copy --pvc orders", "orders", "copy of 7Gi"],
  ["--to copy --pvc default/orders", "orders", "copy of 7Gi"],
  ["--to copy --pvc /pvc/images", "images", "copy of 1Gi"],
  ["--to copy --pvc orders --capacity 9Gi", "orders", "copy of 9Gi"],
])("a new claim with %s is as large as the volume that is meant", async (more, of, text) => {
  const { code, stdout } = await planned(more);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`new claim default/${text}`)]);
  expect(stdout).toContain(`from  volume default/${of} of backup shop, `);
});

test("of several volumes, a new claim is as large as its namesake", async () => {
  // In a namespace where the name is free.
  const { code, stdout } = await ground.run(
    "restore backup/shop --to orders --from-namespace default -n kube-system --dry-run",
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining("new claim kube-system/orders of 7Gi")]);
});

test("nobody knows the size of a new claim for what is gone", async () => {
  expect(await planned("--to gone")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Say it with --capacity"),
  });
});

test.each([
  ["--to copy --capacity 9Gi", 2, "which volume of backup shop is meant is not clear"],
  ["--into images --pvc nothing", 3, "backup shop has no volume nothing"],
])("with %s nobody is asked, as no volume is meant", async (more, code, text) => {
  const ended = await ground.run(`restore backup/shop ${more} --yes`);
  expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(text) });
  expect(ended.stderr).toContain("default/images (/pvc/images), default/orders (/pvc/orders)");
  expect((await ground.client.list(restoreResource, { namespace })).items).toEqual([]);
});

test("claims that name the Restore get each what is of their name", async () => {
  const { code, stdout } = await planned("--for-claims");
  expect([code, stdout]).toEqual([0, expect.stringContaining("the data of the volume of its own name")]);
});

test("whoever may not look at claims says how large a new one is", async () => {
  const { sender, asked } = blind();
  expect(await planned("--to copy --pvc orders", sender)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Say it with --capacity"),
  });
  expect(asked).toEqual(["copy", "orders"]);
  expect(await planned("--to copy --pvc orders --capacity 9Gi", sender)).toMatchObject({ code: 0 });
  expect(asked).toEqual(["copy", "orders", "copy"]);
});

test("whoever may not look at claims restores in place", async () => {
  const { sender, asked } = blind();
  expect(await planned("--into images --pvc orders", sender)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("the claim default/images, in place"),
  });
  expect(asked).toEqual(["images"]);
});
