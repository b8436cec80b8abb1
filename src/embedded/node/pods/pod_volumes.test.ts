import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Volume, VolumeMount } from "kubernetes-types/core/v1.d.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { Pod } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import { KeyedDataReader } from "./keyed_data.ts";
import { PodVolumes } from "./pod_volumes.ts";

describe("the volumes of a pod", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pod-"));
    mkdirSync(join(root, "claim"));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const reader = {
    get: async (_: unknown, { name }: { name: string }) => {
      if (name !== "there") throw new ApiError({ request: "get", code: 404, status: { reason: "NotFound" } });
      return { data: { key: Buffer.from("value").toString("base64") } };
    },
  } as unknown as Reader;

  const mount = async (
    volume: Omit<Volume, "name">,
    volumeMount: Partial<VolumeMount> = {},
    allowHostPath = false,
  ) => {
    const volumes = new PodVolumes({
      folder: join(root, "volumes"),
      data: new KeyedDataReader(reader, "ns", new AbortController().signal),
      claim: async () => ({ folder: join(root, "claim"), readOnly: false }),
      allowHostPath,
    });
    const pod = { metadata: { name: "pod" }, spec: { containers: [], volumes: [{ name: "v", ...volume }] } };
    await volumes.prepare(pod as unknown as Pod);
    const [mounted] = volumes.mountsOf({
      name: "c",
      volumeMounts: [{ name: "v", mountPath: "/v", ...volumeMount }],
    });
    return mounted;
  };
  const claim = { persistentVolumeClaim: { claimName: "claim" } };

  test("of the host are folders that are there, where that is asked for", async () => {
    const folder = (path: string) => ({ hostPath: { path: join(root, path), type: "Directory" } });
    expect(await mount(folder("claim"), { readOnly: true }, true)).toMatchObject({
      source: join(root, "claim"),
      readOnly: true,
    });
    await expect(mount(folder("absent"), {}, true)).rejects.toThrow("is not a directory");
  });

  test("are files with their modes where a Secret is mounted", async () => {
    const items = [{ key: "key", path: "deep/file", mode: 0o400 }];
    const mounted = await mount({ secret: { secretName: "there", items } });
    const file = join(mounted?.source ?? "", "deep/file");
    expect(readFileSync(file, "utf8")).toBe("value");
    expect(statSync(file).mode & 0o777).toBe(0o400);
    expect(mounted?.readOnly).toBe(true);
  });

  test.each([
    [
      { secret: { secretName: "missing" } },
      'MountVolume.SetUp failed for volume "v" : secret "missing" not found',
    ],
    [{ secret: { secretName: "there", items: [{ key: "none", path: "x" }] } }, "references non-existent"],
    [{ hostPath: { path: "/etc" } }, "hostPath /etc is not allowed on this node"],
    [{ nfs: { server: "s", path: "/" } }, "this node offers no volumes of the kind nfs"],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      "issues no service account tokens",
    ],
  ])("%j: %s", async (volume, message) => {
    await expect(mount(volume)).rejects.toThrow(message);
    expect(existsSync(join(root, "volumes/v"))).toBe(false);
  });

  test("are empty where an optional Secret is missing", async () => {
    const mounted = await mount({ secret: { secretName: "missing", optional: true } });
    expect(mounted?.type).toBe("folder");
  });

  test("leave out the keys that an optional source of a projection lacks", async () => {
    const items = ["key", "none"].map((key) => ({ key, path: key }));
    const secret = { name: "there", optional: true, items };
    const mounted = await mount({ projected: { sources: [{ secret }] } });
    expect(readFileSync(join(mounted?.source ?? "", "key"), "utf8")).toBe("value");
    expect(existsSync(join(mounted?.source ?? "", "none"))).toBe(false);
  });

  test("are read-only where the mount or the claim says so", async () => {
    expect((await mount(claim))?.readOnly).toBe(false);
    expect((await mount(claim, { readOnly: true }))?.readOnly).toBe(true);
    expect((await mount({ persistentVolumeClaim: { claimName: "c", readOnly: true } }))?.readOnly).toBe(true);
  });

  test("are mounted in part by a subPath, which is made where it is missing", async () => {
    expect((await mount(claim, { subPath: "a/b" }))?.source).toBe(join(root, "claim/a/b"));
  });

  test("are not left by a subPath, neither by dots nor by links", async () => {
    mkdirSync(join(root, "outside"));
    symlinkSync(join(root, "outside"), join(root, "claim/link"));
    for (const subPath of ["../outside", "link", "link/new", "a/../../outside"]) {
      await expect(mount(claim, { subPath })).rejects.toThrow("leads out of its volume");
    }
    expect(existsSync(join(root, "outside/new"))).toBe(false);
  });
});
