import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { link, lstat, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import { type StreamedProcess, systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { Repository, RestoreOptions } from "../engine.ts";
import { asNobody, NOBODY } from "../testing/as_user.ts";
import { ACL } from "../testing/fidelity_rows.ts";
import { failureOf, Ground, snapshotOf } from "../testing/ground.ts";
import { mounted } from "../testing/interference.ts";
import { buildTree, describeTree, type TreeEntry, treeDifferences } from "../testing/tree.ts";

const MB = 1_000_000;
/** kopia is busy with it for so long that nobody who looks for it misses it. */
const BIG = 30 * MB;
const asRoot = test.skipIf(process.getuid?.() !== 0);

let ground: Ground;
let repository: Repository;
let source: string;
/** A snapshot of it with all, and one with what kopia alone keeps. */
let full: string;
let engine: string;
/** Called before kopia begins a restore. */
let beforeRestore: () => void;
/** Called with every restore that kopia just began, and its arguments. */
let onRestore: (args: readonly string[], process: StreamedProcess) => void;

beforeAll(async () => {
  ground = await Ground.make(kopia, {
    processes: {
      async start(command, args, options) {
        if (args[0] === "restore") beforeRestore();
        const started = await systemStreamedProcesses.start(command, args, options);
        if (args[0] === "restore") onRestore(args, started);
        return started;
      },
    },
  });
  repository = await ground.repository();
  source = await ground.tree("src", [
    { path: "big", file: { random: { bytes: BIG, seed: 1 } } },
    { path: "linked/0", file: { random: { bytes: 3 * MB, seed: 2 } } },
    { path: "linked/1", hardLink: "linked/0" },
    { path: "linked/2", hardLink: "linked/0" },
    { path: "hole", file: { sparse: { size: 50 * MB, pieces: [] } } },
    { path: "locked", folder: {}, mode: 0o555 },
    { path: "locked/in", file: { text: "in" }, mode: 0o400 },
    { path: "sub/a", file: { text: "from the backup" } },
  ]);
  full = (await repository.snapshot(snapshotOf(source))).snapshot.id;
  engine = (await repository.snapshot(snapshotOf(source, { fidelity: "Engine" }))).snapshot.id;
}, 60_000);
beforeEach(() => {
  beforeRestore = () => {};
  onRestore = () => {};
});
afterAll(() => ground[Symbol.asyncDispose]());

/** Kills kopia as soon as something is there. */
function killedWhen(isThere: () => boolean): void {
  onRestore = (_, started) => {
    const look = setInterval(() => {
      if (isThere()) started.kill("SIGKILL");
    }, 1);
    void started.ended.then(() => clearInterval(look));
  };
}

function killedAt(path: string): void {
  killedWhen(() => existsSync(path));
}

const differences = async (target: string) =>
  treeDifferences(await describeTree(source), await describeTree(target));

describe("a restore into an empty target", { timeout: 60_000 }, () => {
  asRoot(
    "needs no more room than its data, and neither does the next attempt after it was killed",
    async () => {
      const target = ground.path("small");
      await mkdir(target);
      using _ = mounted(target, "34m");
      const options: RestoreOptions = {
        snapshot: full,
        target,
        existing: "Overwrite",
        atomic: true,
        own: "mine",
      };
      for (const name of ["big", "linked/0"]) {
        killedAt(`${target}/${name}`);
        expect(await failureOf(repository.restore(options))).toMatchObject({ class: "OutOfMemory" });
      }
      onRestore = () => {};
      await repository.restore(options);
      expect(await differences(target)).toEqual([]);
    },
  );

  asRoot("ends at the first failure that is not of a name which kopia cannot write", async () => {
    const from = await ground.tree("unwritable", [
      { path: Buffer.alloc(100, 0xe9), file: { text: "odd" } },
      { path: "large", file: { random: { bytes: 8 * MB, seed: 3 } } },
    ]);
    const { id } = (await repository.snapshot(snapshotOf(from))).snapshot;
    const target = ground.path("too-small");
    await mkdir(target);
    using _ = mounted(target, "4m");
    const seen: string[] = [];
    onRestore = (args) => seen.push(...args);
    expect(await failureOf(repository.restore({ snapshot: id, target }))).toMatchObject({
      class: "TargetFull",
    });
    expect(seen).toContain("--ignore-errors");
  });

  test("that was killed leaves what is only its own attempts' to remove", async () => {
    const target = ground.path("unfinished");
    const options = { snapshot: full, target, atomic: true, own: "mine" };
    killedAt(`${target}/big`);
    await failureOf(repository.restore(options));
    onRestore = () => {};
    expect(await readdir(target)).toContain(".holdfast-unfinished");
    await writeFile(`${target}/stray`, "");
    for (const own of ["another's", undefined]) {
      const { own: _, ...rest } = options;
      const work = repository.restore(own === undefined ? rest : { ...rest, own });
      expect(await failureOf(work)).toMatchObject({ class: "TargetExists" });
    }
    await repository.restore(options);
    expect(await differences(target)).toEqual([]);
  });

  test("that was killed does not make the next one take a file for restored by its size and time", async () => {
    const target = ground.path("untrusted");
    killedAt(`${target}/big`);
    await failureOf(repository.restore({ snapshot: full, target }));
    onRestore = () => {};
    await mkdir(`${target}/sub`, { recursive: true });
    await writeFile(`${target}/sub/a`, "not on the disk");
    const { mtime } = await stat(`${source}/sub/a`);
    await utimes(`${target}/sub/a`, mtime, mtime);
    await repository.restore({ snapshot: full, target, existing: "OverwriteChanged" });
    expect(await differences(target)).toEqual([]);
  });
});

describe("linked files", { timeout: 60_000 }, () => {
  test("get their content where a file without any takes room, as on some file systems", async () => {
    // The helper does not understand the last one: the record knows names that the snapshot lacks.
    const ignore = { paths: ["/linked/0", "/big", "[[:cntrl:]]"] };
    const { id } = (await repository.snapshot(snapshotOf(source, { ignore }))).snapshot;
    const target = ground.path("roomy");
    beforeRestore = () => {
      beforeRestore = () => {};
      const { mtime } = statSync(`${source}/linked/0`);
      for (const name of ["1", "2"]) {
        const placeholder = `${target}/linked/${name}`;
        execFileSync("fallocate", ["--length", String(3 * MB), placeholder]);
        utimesSync(placeholder, mtime, mtime);
        expect(statSync(placeholder).blocks).toBeGreaterThan(0);
      }
    };
    await repository.restore({ snapshot: id, target });
    expect(await differences(target)).toEqual([
      "big is missing",
      "linked/0 is missing",
      expect.stringContaining("linked/1: sameAs"),
      expect.stringContaining("linked/2: sameAs"),
    ]);
    expect((await stat(`${target}/linked/1`)).nlink).toBe(2);
  });

  test("come back whose own mode is that of what waits for them", async () => {
    const from = await ground.tree("sticky", [
      { path: "0", file: { text: "swapped out" }, mode: 0o1600 },
      { path: "1", hardLink: "0" },
    ]);
    const { id } = (await repository.snapshot(snapshotOf(from))).snapshot;
    const target = ground.path("sticky-out");
    await repository.restore({ snapshot: id, target });
    expect(treeDifferences(await describeTree(from), await describeTree(target))).toEqual([]);
  });
});

describe("a restore over somebody's data", { timeout: 60_000 }, () => {
  let number = 0;
  let target: string;
  let outside: string;

  beforeEach(async () => {
    number += 1;
    target = ground.path(`target-${number}`);
    outside = ground.path(`outside-${number}`);
    await mkdir(`${target}/locked`, { recursive: true });
    await mkdir(outside);
    await writeFile(`${outside}/file`, "theirs");
  });

  const ways = [true, false].flatMap((atomic) =>
    (["Full", "Engine"] as const).map((fidelity) => ({ atomic, fidelity })),
  );
  test.each(ways)("stays in the target and in its own files: %j", async ({ atomic, fidelity }) => {
    await symlink(outside, `${target}/sub`);
    await symlink(`${outside}/file`, `${target}/big`);
    await writeFile(`${target}/theirs`, "theirs");
    await link(`${target}/theirs`, `${target}/hole`);
    await symlink("nothing", `${target}/extra`);
    const snapshot = fidelity === "Full" ? full : engine;
    const seen: string[] = [];
    onRestore = (args) => seen.push(...args);
    await repository.restore({ snapshot, target, existing: "Overwrite", atomic });
    expect(seen).toContain(atomic ? "--write-files-atomically" : "--no-write-files-atomically");
    expect(await readdir(outside)).toEqual(["file"]);
    for (const file of [`${outside}/file`, `${target}/theirs`]) {
      expect((await stat(file)).size).toBe("theirs".length);
    }
    expect((await lstat(`${target}/extra`)).isSymbolicLink()).toBe(true);
    expect(await readFile(`${target}/sub/a`, "utf8")).toBe("from the backup");
    expect((await stat(`${target}/big`)).size).toBe(BIG);
  });

  const restore = (run: string, ended: readonly string[] = [], more: Partial<RestoreOptions> = {}) =>
    repository.restore({
      snapshot: full,
      target,
      existing: "Overwrite",
      atomic: true,
      fence: { run, ended },
      ...more,
    });
  const beside = () => readdirSync(target).filter((name) => /^big\d{2,}$/.test(name));
  const theirs = (name: string) => writeFile(`${target}/${name}`, "theirs", { mode: 0o600 });

  test("that was killed leaves files beside others, which the next attempt removes, and nothing else", async () => {
    await theirs("big");
    await theirs("big1000000001");
    killedWhen(() => beside().length > 1);
    expect(await failureOf(restore("one"))).toMatchObject({ class: "OutOfMemory" });
    expect(beside()).toHaveLength(2);
    expect(await readFile(`${target}/big`, "utf8")).toBe("theirs");
    // Made since: the time of a file is that of the last tick of the clock.
    await new Promise((wake) => setTimeout(wake, 50));
    const since = ["big2", "big1000000002", "other1000000001", "sub1000000001"];
    for (const name of since) await theirs(name);
    onRestore = () => {};
    await restore("two", ["one"], { atomic: false });
    const expected = [...since, "big", "big1000000001", "hole", "linked", "locked", "sub"];
    expect((await readdir(target)).toSorted()).toEqual(expected.toSorted());
  });

  test("removes nothing that has too few digits to be kopia's, whenever it was made", async () => {
    await theirs("big");
    killedWhen(() => {
      if (beside().length === 0) return false;
      writeFileSync(`${target}/big12345`, "theirs", { mode: 0o600 });
      return true;
    });
    await failureOf(restore("one"));
    onRestore = () => {};
    await restore("two", ["one"]);
    expect(beside()).toEqual(["big12345"]);
  });

  test("keeps a mark to the end that says that files may be without their content", async () => {
    await writeFile(`${target}/.holdfast-unfinished`, "");
    await theirs("extra");
    const seen: string[][] = [];
    onRestore = (args, started) => {
      seen.push(args.filter((arg) => /^--(skip-existing|delete-extra)$/.test(arg)));
      if (seen.length === 1) started.kill("SIGKILL");
    };
    const how = { existing: "OverwriteChanged", deleteExtra: true } as const;
    await failureOf(restore("one", [], how));
    expect(await readdir(target)).toContain(".holdfast-unfinished");
    await restore("two", ["one"], how);
    expect(seen).toEqual([[], [], ["--skip-existing", "--delete-extra"]]);
    expect(await differences(target)).toEqual([]);
  });

  test("leaves a mark that everybody may read: also whoever backs the volume up", async () => {
    await theirs("big");
    killedWhen(() => beside().length > 0);
    await failureOf(restore("one"));
    const mark = `${target}/.holdfast-unfinished`;
    expect((await stat(mark)).mode & 0o777).toBe(0o644);
  });

  test("says that a long name keeps it from writing atomically", async () => {
    const from = await ground.tree(`long-${number}`, [{ path: "n".repeat(250), file: { text: "long" } }]);
    const { id } = (await repository.snapshot(snapshotOf(from))).snapshot;
    await theirs("other");
    const { warnings } = await restore("one", [], { snapshot: id });
    expect(warnings).toEqual([expect.stringContaining("250 bytes, at most 245")]);
  });

  test("that was killed over an interrupted one leaves nothing beside others either, and trusts no file's time", async () => {
    await theirs("big");
    await writeFile(`${target}/.holdfast-unfinished`, "");
    killedWhen(() => beside().length > 0);
    await failureOf(restore("one"));
    expect(beside()).toHaveLength(1);
    const seen: string[] = [];
    onRestore = (args) => seen.push(...args);
    await restore("two", ["one"], { existing: "OverwriteChanged" });
    expect(beside()).toEqual([]);
    expect(seen).toContain("--write-files-atomically");
    expect(seen).not.toContain("--skip-existing");
    expect(await differences(target)).toEqual([]);
  });

  const asTheyWere = ["Overwrite", "OverwriteChanged"] as const;
  test.each(asTheyWere)("in place leaves no attributes of the file that was there: %s", async (existing) => {
    const { mtimeNs: mtime } = await stat(`${source}/sub/a`, { bigint: true });
    const xattrs = { "user.theirs": "1", "system.posix_acl_access": ACL };
    await buildTree(target, [{ path: "sub/a", file: { text: "from the backup" }, mtime, xattrs }]);
    const { ino } = await stat(`${target}/sub/a`);
    await restore("one", [], { existing, atomic: false });
    expect((await stat(`${target}/sub/a`)).ino).toBe(ino);
    expect(await differences(target)).toEqual([]);
  });

  asRoot("needs no room beside it for holes and files, unless it has to be atomic", async () => {
    using _ = mounted(target, "39m");
    await writeFile(`${target}/big`, Buffer.alloc(BIG, 1));
    const options = { snapshot: engine, target, existing: "Overwrite" } as const;
    expect(await failureOf(repository.restore({ ...options, atomic: true }))).toMatchObject({
      class: "TargetFull",
      remedy: expect.stringContaining("writeFilesAtomically"),
    });
    expect((await stat(`${target}/big`)).size).toBe(BIG);
    await repository.restore({ ...options, atomic: false });
    expect((await stat(`${target}/hole`)).blocks).toBe(0);
  });
});

describe.skipIf(process.getuid?.() !== 0)("a mover without rights", { timeout: 60_000 }, () => {
  const own = { uid: NOBODY, gid: NOBODY };
  const restoreTo = async (name: string, snapshot: string, more: Partial<RestoreOptions> = {}) => {
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, ground.path("repository")]);
    const restore = { snapshot, target: ground.path("nobody", name), ...more };
    return asNobody(ground, ground.location(), { restore });
  };

  test("restores what only the record brings back into folders that it may not write", async () => {
    const caf = Buffer.from("locked/caf\xe9", "latin1");
    const from = await ground.tree("locked-src", [
      { path: "", folder: {}, ...own },
      { path: "first", file: { text: "linked" }, ...own },
      { path: caf, file: { text: "odd" }, ...own },
      { path: "locked/pipe", fifo: {}, ...own },
      { path: Buffer.concat([caf, Buffer.from("-link")]), symlink: "nowhere", ...own },
      { path: "locked/second", hardLink: "first" },
      { path: "locked/third", hardLink: "first" },
      { path: "locked", folder: {}, mode: 0o555, ...own },
    ]);
    const ignore = { paths: ["/first"] };
    const { id } = (await repository.snapshot(snapshotOf(from, { ignore }))).snapshot;
    for (const existing of ["Refuse", "Overwrite"] as const) {
      const outcome = await restoreTo("locked", id, { existing });
      expect(outcome).toMatchObject({ result: { losses: [], fidelity: "Full" } });
      const found = await describeTree(ground.path("nobody", "locked"));
      const wanted = (await describeTree(from)).filter(({ path }) => path !== "first");
      expect(treeDifferences(wanted, found, { ignore: ["sameAs"] })).toEqual([]);
      expect((await stat(ground.path("nobody", "locked", "locked", "third"))).nlink).toBe(2);
    }
  });

  test("leaves a file as it is that may not be written and did not change", async () => {
    const entries: readonly TreeEntry[] = [
      { path: "", folder: {}, ...own, mtime: 1n },
      { path: "read-only", file: { text: "same" }, mode: 0o444, mtime: 2n, ...own },
    ];
    const from = await ground.tree("read-only-src", entries);
    const { id } = (await repository.snapshot(snapshotOf(from))).snapshot;
    const target = await ground.tree("nobody/read-only", entries);
    await restoreTo("read-only", id, { existing: "OverwriteChanged", atomic: false });
    expect(treeDifferences(await describeTree(from), await describeTree(target))).toEqual([]);
  });
});
