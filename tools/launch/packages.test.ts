import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "./folders.mjs";
import { ensurePackages, nodePackages } from "./packages.mjs";
import { calm, recordedProgress, temporaryFolder, writeScript } from "./testing.ts";

const packages = { "holdfast-test-a": "package-a", "/nonexistent/b": "package-b" };

async function setting() {
  const cache = await temporaryFolder();
  const bin = join(cache, "bin");
  await mkdir(bin);
  return { cache, bin, env: { PATH: bin }, progress: recordedProgress(), signal: calm };
}

test("ensurePackages() does nothing when all is there", async () => {
  const options = await setting();
  await writeScript(join(options.bin, "holdfast-test-a"), "");
  await ensurePackages({ "holdfast-test-a": "package-a" }, { ...options, root: false });
  expect(options.progress.lines).toEqual([]);
});

test("ensurePackages() tells a user who is not root the command to run", async () => {
  const options = await setting();
  await writeScript(join(options.bin, "apt-get"), "exit 1");
  await expect(ensurePackages(packages, { ...options, root: false })).rejects.toThrow(
    "Install them and run again:\n  sudo apt-get install -y --no-install-recommends package-a package-b",
  );
});

test("ensurePackages() names the packages where there is no apt-get", async () => {
  await expect(ensurePackages(packages, { ...(await setting()), root: true })).rejects.toThrow(
    "are needed: package-a package-b. Install them",
  );
});

test("ensurePackages() installs what is missing, as root", async () => {
  const options = await setting();
  const log = join(options.cache, "log");
  await writeScript(join(options.bin, "apt-get"), `echo "$DEBIAN_FRONTEND $*" >> ${log}`);
  await ensurePackages(packages, { ...options, root: true });
  expect(await readFile(log, "utf8")).toBe(
    "noninteractive update\nnoninteractive install -y --no-install-recommends package-a package-b\n",
  );
  expect(options.progress.lines).toEqual(["installing Debian packages package-a package-b"]);
});

test("ensurePackages() shows why apt-get failed", async () => {
  const options = await setting();
  await writeScript(join(options.bin, "apt-get"), "echo no space left; exit 100");
  await expect(ensurePackages(packages, { ...options, root: true })).rejects.toThrow(
    "could not be installed: apt-get exited with 100\n    no space left",
  );
});

test("the packages of a node are those that the page about clusters names", async () => {
  const page = await readFile(join(projectFolder, "tools/cluster/README.md"), "utf8");
  const [, named = ""] = /apt-get install -y --no-install-recommends ([^`]+)`/.exec(page) ?? [];
  expect(named.split(" ").toSorted()).toEqual([...Object.values(nodePackages), "openssl"].toSorted());
});
