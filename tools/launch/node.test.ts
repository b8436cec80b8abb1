import { mkdir, readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { ensureNode, isGoodEnough } from "./node.mjs";
import { run } from "./run.mjs";
import { calm, recordedProgress, temporaryFolder, writeScript } from "./testing.ts";

/** An npm that packs a Node which is a shell script. */
async function setting(npm?: string) {
  const folder = await temporaryFolder();
  const bin = join(folder, "bin");
  await mkdir(join(folder, "package", "bin"), { recursive: true });
  await mkdir(bin);
  await writeScript(join(folder, "package", "bin", "node"), "echo v99.1.0");
  await run("tar", ["-czf", "node.tgz", "package"], { cwd: folder });
  await writeScript(join(bin, "npm"), npm ?? `cp ${join(folder, "node.tgz")} "$5/node-99.1.0.tgz"`);
  const cache = join(folder, "cache");
  return { cache, env: { PATH: `${bin}:/usr/bin:/bin` }, progress: recordedProgress(), signal: calm };
}

test("ensureNode() goes on with the Node that runs it when that will do", async () => {
  expect(await ensureNode(process.versions.node, await setting("exit 1"))).toBe(process.execPath);
});

test("ensureNode() takes a Node that stands further back on PATH before it asks npm", async () => {
  const options = await setting("exit 1");
  const folder = await temporaryFolder();
  const PATH = [options.env.PATH];
  for (const [place, body] of [
    ["broken", "exit 1"],
    ["old", "echo v99.0.9"],
    ["good", "echo v99.2.0"],
  ] as const) {
    await mkdir(join(folder, place));
    await writeScript(join(folder, place, "node"), body);
    PATH.push(join(folder, place));
  }
  const env = { PATH: PATH.join(delimiter) };
  expect(await ensureNode("99.1.0", { ...options, env })).toBe(join(folder, "good", "node"));
  expect(options.progress.lines).toEqual([]);
});

test("ensureNode() installs the wanted Node from npm, once", async () => {
  const options = await setting();
  const expected = join(options.cache, "node", "99.1.0", "bin", "node");
  expect(await Promise.all([ensureNode("99.1.0", options), ensureNode("99.1.0", options)])).toEqual([
    expected,
    expected,
  ]);
  expect(await ensureNode("99.1.0", options)).toBe(expected);
  expect(options.progress.lines.filter((line) => line === "installing Node 99.1.0")).toHaveLength(1);
  expect(await readdir(join(options.cache, "node"))).toEqual(["99.1.0"]);
});

test("ensureNode() says what to install when npm has no such Node, and leaves nothing half done", async () => {
  const options = await setting("echo npm error 404 >&2; exit 1");
  await expect(ensureNode("99.1.0", options)).rejects.toThrow(
    /^Node 99\.1\.0 is needed, and npm's package node-\w+-\w+@99\.1\.0 could not be installed: npm exited with 1\n {4}npm error 404\nInstall Node 99\.1\.0 \(https:/,
  );
  expect(await readdir(join(options.cache, "node"))).toEqual([]);
});

test.each([
  ["24.21.0", true],
  ["24.22.0", true],
  ["24.9.0", false],
  ["20.20.2", false],
  ["26.0.0", false],
])("isGoodEnough(%j) for 24.21.0 is %j", (has, expected) => {
  expect(isGoodEnough(has, "24.21.0")).toBe(expected);
});
