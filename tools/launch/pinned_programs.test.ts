import { access, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "./commands.mjs";
import { projectFolder } from "./folders.mjs";
import { readPinnedPrograms } from "./pinned_programs.mjs";

const folder = join(projectFolder, "tools/programs");

test("every program that a command needs is pinned", async () => {
  const pinned = await readPinnedPrograms(folder);
  const needed = new Set(
    Object.values(commands).flatMap((command) => command.needs?.(["up"]).programs ?? []),
  );
  expect(needed.size).toBeGreaterThan(0);
  expect([...needed].filter((name) => !pinned.has(name))).toEqual([]);
});

test("every script of package.json is a command of the launcher", async () => {
  const { scripts } = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8"));
  const launched = Object.values<string>(scripts).map((script) => script.split("launch.mjs ")[1] ?? script);
  expect(launched.length).toBeGreaterThan(0);
  expect(launched.filter((name) => !Object.hasOwn(commands, name))).toEqual([]);
});

test("every placeholder is filled, and every module has its go.sum", async () => {
  const pinned = await readPinnedPrograms(folder, "linux-x64");
  expect(JSON.stringify([...pinned.values()])).not.toMatch(/\{(version|minor|platform|program)\}/);
  for (const { moduleFolder } of pinned.values()) await access(join(moduleFolder, "go.sum"));
});

test("a program's own names of version and platform go into its release", async () => {
  const pinned = await readPinnedPrograms(folder, "darwin-arm64");
  expect(pinned.get("kopia")?.release?.asset).toMatch(/\/v([\d.]+)\/kopia-\1-macOS-arm64\.tar\.gz$/);
  expect(pinned.get("kubelet")?.release).toBeUndefined();
});

test("another version of a program is released under the same name, and told its own version", async () => {
  const pinned = await readPinnedPrograms(folder, "linux-x64");
  const { release, ldflags } = pinned.get("kube-apiserver-1.34") ?? {};
  expect(release?.asset).toMatch(/\/v1\.34\.\d+\/bin\/linux\/amd64\/kube-apiserver$/);
  expect(ldflags).toMatch(/gitVersion=v1\.34\.\d+ .*gitMinor=34$/);
  expect(pinned.get("helm-4")?.release?.asset).toMatch(/\/helm-v4\.[\d.]+-linux-amd64\.tar\.gz$/);
  expect(pinned.get("helm-4")?.ldflags).toContain("/v4/");
});

test("what shares its versions with others is in their workspace, and nothing that is shipped", async () => {
  const pinned = [...(await readPinnedPrograms(folder)).values()];
  const used = [...(await readFile(join(folder, "shared.work"), "utf8")).matchAll(/^\t\.\/(.+)$/gm)];
  const shared = pinned
    .filter(({ workspace }) => workspace)
    .map(({ moduleFolder }) => basename(moduleFolder));
  expect(shared.toSorted()).toEqual(used.map(([, module]) => module));
  const shipped = commands.images?.needs?.([]).programs ?? [];
  expect(shipped.length).toBeGreaterThan(0);
  expect(pinned.filter(({ name, workspace }) => workspace && shipped.includes(name))).toEqual([]);
});

test("what nobody distributes has no release", async () => {
  const pinned = await readPinnedPrograms(folder, "linux-x64");
  expect(pinned.get("csi-register")?.release).toBeUndefined();
  expect(pinned.get("kubelet")?.release?.asset).toMatch(/\/bin\/linux\/amd64\/kubelet$/);
});
