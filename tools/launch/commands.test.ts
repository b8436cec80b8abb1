import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "./commands.mjs";
import { projectFolder } from "./folders.mjs";

test.each([[[]], [["status"]], [["--name", "x", "down"]], [["--help"]]])(
  "cluster needs nothing for %j",
  (args: string[]) => {
    expect(commands.cluster?.needs?.(args)).toEqual({ programs: [], packages: {} });
  },
);

test("cluster needs neither a node's programs nor its packages for a control plane alone", () => {
  const needs = commands.cluster?.needs?.(["up", "--control-plane-only"]);
  expect(needs?.programs).toContain("kube-apiserver");
  expect(needs?.programs).not.toContain("kubelet");
  expect(needs?.packages).toEqual({ openssl: "openssl" });
});

test("cluster needs all for a node", () => {
  const needs = commands.cluster?.needs?.(["up"]);
  expect(needs?.programs).toEqual(expect.arrayContaining(["kube-apiserver", "kubelet", "hostpathplugin"]));
  expect(Object.values(needs?.packages ?? {})).toEqual(expect.arrayContaining(["containerd", "openssl"]));
});

test("test needs every program that its files ask for", () => {
  const files = globSync("test/{machine,engines,scenarios}/**/*.ts", { cwd: projectFolder });
  const asked = new Set(
    files.flatMap((file) =>
      Array.from(
        readFileSync(join(projectFolder, file), "utf8").matchAll(/pinnedProgram\("([^"]+)"\)/g),
        ([, name]) => name,
      ),
    ),
  );
  expect(asked).toContain("rclone");
  const { programs = [] } = commands.test?.needs?.([]) ?? {};
  expect([...asked].filter((name) => !programs.includes(name ?? ""))).toEqual([]);
});
