import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../../src/lib/hash.ts";
import { packImage } from "./image.ts";

let work: string;

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), "holdfast-image-"));
  mkdirSync(join(work, "rootfs/bin"), { recursive: true });
  writeFileSync(join(work, "rootfs/bin/hello"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
  symlinkSync("hello", join(work, "rootfs/bin/greet"));
});

afterEach(() => rmSync(work, { recursive: true }));

const pack = (out: string) =>
  packImage({
    name: "holdfast/hello:1",
    rootfs: join(work, "rootfs"),
    entrypoint: ["/bin/hello"],
    env: { GREETING: "hi" },
    out: join(work, out),
  });
const entry = (archive: string, name: string) =>
  execFileSync("tar", ["--extract", "--to-stdout", "--file", join(work, archive), name]);

test("packImage() writes a manifest whose configuration names the layer's digest, the entrypoint and its environment", async () => {
  await pack("image.tar");
  const [manifest] = JSON.parse(entry("image.tar", "manifest.json").toString());
  expect(manifest.RepoTags).toEqual(["holdfast/hello:1"]);
  const layer = entry("image.tar", manifest.Layers[0]);
  const config = JSON.parse(entry("image.tar", manifest.Config).toString());
  expect(config.rootfs.diff_ids).toEqual([`sha256:${sha256(layer)}`]);
  expect(config.config.Entrypoint).toEqual(["/bin/hello"]);
  expect(config.config.Env).toEqual([expect.stringMatching(/^PATH=/), "GREETING=hi"]);
  const listing = execFileSync("tar", ["--list", "--verbose", "--file", "-"], { input: layer }).toString();
  expect(listing).toMatch(/lrwx\S+ 0\/0 .* \.\/bin\/greet -> hello/);
  expect(listing).toMatch(/-rwxr-xr-x 0\/0 .* \.\/bin\/hello/);
});

test("packImage() makes the same archive from the same folder", async () => {
  await pack("one.tar");
  await pack("two.tar");
  expect(sha256(readFileSync(join(work, "one.tar")))).toBe(sha256(readFileSync(join(work, "two.tar"))));
});
