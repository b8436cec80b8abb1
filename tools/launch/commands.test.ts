import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands, forTheMatrix, otherVersions } from "./commands.mjs";
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
  expect(needs?.programs).toEqual(
    expect.arrayContaining(["kube-apiserver", "kubelet", "containerd", "hostpathplugin"]),
  );
  expect(Object.values(needs?.packages ?? {})).toEqual(expect.arrayContaining(["runc", "openssl"]));
});

test.each([
  [["up", "--api-server", "kube-apiserver-1.34"]],
  [["up", "--control-plane-only", "--api-server=kube-apiserver-1.34"]],
])("cluster needs the API server that it is told to take: %j", (args: string[]) => {
  const { programs = [] } = commands.cluster?.needs?.(args) ?? {};
  expect(programs.filter((name) => otherVersions.includes(name))).toEqual(["kube-apiserver-1.34"]);
});

test("provide needs what the named command needs, and starts nothing", () => {
  expect(commands.provide?.needs?.(["test:cluster"])).toEqual(commands["test:cluster"]?.needs?.([]));
  expect(commands.provide?.needs?.(["check"])).toEqual({ programs: [], packages: {} });
  expect(commands.provide?.needs?.(["nonsense"])).toEqual({ programs: [], packages: {} });
});

/** The programs that the files ask for by name. */
function askedFor(pattern: string): ReadonlySet<string> {
  const files = globSync(pattern, { cwd: projectFolder });
  return new Set(
    files.flatMap((file) =>
      Array.from(
        readFileSync(join(projectFolder, file), "utf8").matchAll(/pinnedProgram\("([^"]+)"\)/g),
        ([, name = ""]) => name,
      ),
    ),
  );
}

const programsOf = (command: string) => commands[command]?.needs?.([]).programs ?? [];

test("test needs every program that its files ask for, but for what the full matrix brings", () => {
  const asked = askedFor("test/{machine,engines,scenarios}/**/*.ts");
  expect(asked).toContain("rclone-few");
  expect(asked).toContain("kubectl-1.34");
  const there = [...programsOf("test"), ...forTheMatrix];
  expect([...asked].filter((name) => !there.includes(name))).toEqual([]);
});

test("the full matrix needs every program that any file asks for, and all that is only for it", () => {
  const asked = askedFor("{test,tools/run}/**/*.ts");
  expect([...asked, ...forTheMatrix].filter((name) => !programsOf("test:long").includes(name))).toEqual([]);
});

test.each([
  ["unit", "{tools,test/unit}/**/*.test.ts", []],
  ["machine", "test/{machine,scenarios}/**/*.ts", ["kubectl-1.34"]],
  ["engines", "{src,test}/engines/**/*.ts", []],
  [
    "versions",
    "test/versions/**/*.ts",
    ["kube-apiserver-1.34", "kube-apiserver-1.35", "kube-apiserver-1.36", "helm-4"],
  ],
  ["cluster", "test/{cluster,scenarios}/**/*.ts", []],
  ["helm", "test/{cluster,scenarios}/**/*.ts", ["helm-4"]],
])(
  "the part %s of the full matrix needs what its files ask for, and of other versions only its own",
  (part, files, others) => {
    const { programs = [] } = commands["test:long"]?.needs?.([part]) ?? {};
    expect(programs.filter((name) => otherVersions.includes(name))).toEqual(others);
    const missing = [...askedFor(files)].filter(
      (name) => !programs.includes(name) && !otherVersions.includes(name),
    );
    expect(missing).toEqual([]);
  },
);

test("no more of the full matrix is asked for than the part that is named, or that a file is of", () => {
  const needs = (...args: string[]) => commands["test:long"]?.needs?.(args);
  expect(needs("unit")).toEqual({ programs: [], packages: { zsh: "zsh", fish: "fish" } });
  expect(needs("engines")?.programs).not.toContain("kubectl");
  expect(needs("test/cluster/write.test.ts")).toEqual(needs("cluster"));
  expect(needs("test/machine/cli.test.ts")).toEqual(needs("machine"));
});

test("no command of every day waits for what only the full matrix needs", () => {
  const everyday = Object.entries(commands).filter(([name]) => name !== "test:long");
  const programs = everyday.flatMap(([, { needs }]) => needs?.(["up"]).programs ?? []);
  expect(programs).toContain("kube-apiserver");
  expect(programs.filter((name) => forTheMatrix.includes(name))).toEqual([]);
});
