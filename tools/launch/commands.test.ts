import { expect, test } from "vitest";
import { commands } from "./commands.mjs";

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
