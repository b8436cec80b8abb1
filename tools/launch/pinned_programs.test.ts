import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
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
  expect(JSON.stringify([...pinned.values()])).not.toMatch(/\{(version|platform|program)\}/);
  for (const { moduleFolder } of pinned.values()) await access(join(moduleFolder, "go.sum"));
});

test("a program's own names of version and platform go into its release", async () => {
  const pinned = await readPinnedPrograms(folder, "darwin-arm64");
  expect(pinned.get("kopia")?.release?.asset).toMatch(/\/v([\d.]+)\/kopia-\1-macOS-arm64\.tar\.gz$/);
  expect(pinned.get("kubelet")?.release).toBeUndefined();
});

test("what nobody distributes has no release", async () => {
  const pinned = await readPinnedPrograms(folder, "linux-x64");
  expect(pinned.get("csi-register")?.release).toBeUndefined();
  expect(pinned.get("kubelet")?.release?.asset).toMatch(/\/bin\/linux\/amd64\/kubelet$/);
});
