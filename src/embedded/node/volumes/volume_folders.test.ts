import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Processes, systemProcesses } from "../../../lib/processes.ts";
import { VolumeFolders } from "./volume_folders.ts";

describe("volume folders", () => {
  let root: string;
  let folders: VolumeFolders;
  const { signal } = new AbortController();

  beforeEach(async () => {
    root = join(mkdtempSync(join(tmpdir(), "folders-")), "volumes");
    folders = new VolumeFolders(root, systemProcesses);
    await folders.recover();
  });

  afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }));

  test("begin empty, and open to every user", async () => {
    await folders.fill("a", undefined, signal);
    expect(statSync(folders.path("a")).mode & 0o777).toBe(0o777);
    expect(readdirSync(folders.path("a"))).toEqual([]);
  });

  test("are removed by another program, however many files they have", async () => {
    const commands: string[] = [];
    const watched: Processes = {
      run(command, args, options) {
        commands.push(command);
        return systemProcesses.run(command, args, options);
      },
    };
    const seen = new VolumeFolders(root, watched);
    await folders.fill("a", undefined, signal);
    writeFileSync(join(folders.path("a"), "file"), "");
    await seen.remove("a");
    expect(commands).toEqual(["rm"]);
    expect(readdirSync(root)).toEqual([]);
  });

  test("are copied with links, holes, owners, modes and times", async () => {
    await folders.fill("a", undefined, signal);
    const at = (name: string) => join(folders.path("a"), name);
    writeFileSync(at("file"), "data", { mode: 0o640 });
    linkSync(at("file"), at("hard"));
    symlinkSync("nowhere", at("soft"));
    writeFileSync(at("sparse"), "");
    truncateSync(at("sparse"), 8 * 2 ** 20);
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    execFileSync("touch", ["-d", "2001-02-03 04:05:06.789012345", at("file"), at("folder")]);
    await folders.fill("b", { folders, handle: "a" }, signal);
    const describeTree = (handle: string) =>
      execFileSync("find", [".", "-printf", "%p %y %m %U %G %s %n %T@ %l\n"], {
        cwd: folders.path(handle),
        encoding: "utf8",
      })
        .split("\n")
        .sort();
    expect(describeTree("b")).toEqual(describeTree("a"));
    expect(statSync(join(folders.path("b"), "file")).ino).toBe(statSync(join(folders.path("b"), "hard")).ino);
    expect(statSync(join(folders.path("b"), "sparse")).blocks).toBe(statSync(at("sparse")).blocks);
  });

  test("are copied by sharing their blocks, where the file system can", async () => {
    const copies: (readonly string[])[] = [];
    const processes: Processes = {
      ...systemProcesses,
      run(command, args, options) {
        if (command === "cp") copies.push(args);
        return systemProcesses.run(command, args, options);
      },
    };
    const watched = new VolumeFolders(root, processes);
    await watched.fill("a", undefined, signal);
    await watched.fill("b", { folders: watched, handle: "a" }, signal);
    expect(copies).toEqual([expect.arrayContaining(["--reflink=auto"])]);
  });

  test("that are there already are left as they are", async () => {
    await folders.fill("a", undefined, signal);
    writeFileSync(join(folders.path("a"), "file"), "mine");
    await folders.fill("b", undefined, signal);
    await folders.fill("a", { folders, handle: "b" }, signal);
    expect(readFileSync(join(folders.path("a"), "file"), "utf8")).toBe("mine");
  });

  test("are not there when the copy failed", async () => {
    await expect(folders.fill("b", { folders, handle: "none" }, signal)).rejects.toThrow("cp failed");
    expect(readdirSync(root)).toEqual([]);
  });

  test("are not there after an interruption, and nothing is left of it", async () => {
    mkdirSync(join(root, ".unfinished-b"));
    writeFileSync(join(root, ".unfinished-b", "half"), "");
    expect(folders.has("b")).toBe(false);
    await folders.recover();
    expect(readdirSync(root)).toEqual([]);
  });

  test("stay while they are being copied", async () => {
    const steps: string[] = [];
    const copying = Promise.withResolvers<void>();
    const processes: Processes = {
      run: async (command, args) => {
        if (command === "cp") {
          steps.push("copying");
          await copying.promise;
          steps.push("copied");
        }
        return systemProcesses.run(command, args);
      },
    };
    const slow = new VolumeFolders(root, processes);
    await slow.fill("a", undefined, signal);
    const filled = slow.fill("b", { folders: slow, handle: "a" }, signal);
    await expect.poll(() => steps).toEqual(["copying"]);
    const removed = slow.remove("a").then(() => steps.push("removed"));
    copying.resolve();
    await Promise.all([filled, removed]);
    expect(steps).toEqual(["copying", "copied", "removed"]);
    expect(existsSync(slow.path("a"))).toBe(false);
  });

  test.each(["", ".", "..", "../a", "a/b", ".unfinished-a", "a\0", "-a"])("are not named %j", (handle) => {
    expect(() => folders.path(handle)).toThrow("is not a volume handle");
  });
});
