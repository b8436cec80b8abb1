import { afterAll, beforeAll, expect, test } from "vitest";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
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
  ["--to copy --pvc orders", "copy of 7Gi"],
  ["--to copy --pvc default/orders", "copy of 7Gi"],
  ["--to copy --pvc /pvc/images", "copy of 1Gi"],
  ["--to copy --pvc orders --capacity 9Gi", "copy of 9Gi"],
])("a new claim with %s is as large as the volume that is meant", async (more, text) => {
  expect(await planned(more)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`new claim ${text}`),
  });
});

test("of several volumes, a new claim is as large as its namesake", async () => {
  // In a namespace where the name is free.
  const { code, stdout } = await ground.run(
    "restore backup/shop --to orders --from-namespace default -n kube-system --dry-run",
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining("new claim orders of 7Gi")]);
});

test.each(["--to copy", "--to copy --pvc nothing", "--to gone"])(
  "nobody knows the size of a new claim with %s",
  async (more) => {
    expect(await planned(more)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Say it with --capacity"),
    });
  },
);

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
    stdout: expect.stringContaining("the claim images, in place"),
  });
  expect(asked).toEqual(["images"]);
});
