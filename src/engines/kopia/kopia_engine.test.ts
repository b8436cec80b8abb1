import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kopiaProgram, makeEngine } from "../../../test/engines/kopia_engine.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { type StreamedProcess, systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { EngineError } from "../../wire/engine_error.ts";
import type { Loss, Snapshot } from "../../wire/snapshot.ts";
import type { Engine, Repository, RepositoryLocation, SnapshotOptions } from "../engine.ts";

const run = promisify(execFile);

let folder: string;
let engine: Engine;
let repository: Repository;
let location: RepositoryLocation;
let taken = 0;
/** Called with every program that was just started, and its arguments. */
let onStart: (args: readonly string[], process: StreamedProcess) => void;
/** Called with what any of them says of failures. */
let onWords: (words: string) => void;
/** How much later it is than by the system's clock. */
let laterMs = 0;
/** With a rule that the helper does not understand the record holds what the snapshot does not. */
const NOT_UNDERSTOOD = ["[[:cntrl:]]"] as const;
/** Makes kopia fail to store a companion, once it has all of the record. */
let breakCompanion = false;

beforeEach(async () => {
  onStart = () => {};
  onWords = () => {};
  laterMs = 0;
  folder = await mkdtemp(join(tmpdir(), "kopia-"));
  engine = makeEngine({
    folder: join(folder, "engine"),
    clock: { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs },
    processes: {
      async start(command, args, options) {
        const broken = breakCompanion && args.some((arg) => arg.startsWith("--stdin-file"));
        const stdin = broken ? { stdin: late(options.stdin) } : {};
        const started = await systemStreamedProcesses.start(command, args, { ...options, ...stdin });
        onStart(args, started);
        return { ...started, stderr: heard(started.stderr) };
      },
    },
  });
  location = {
    backend: { filesystem: { path: join(folder, "repo") } },
    credentials: {},
    password: systemRandom.hex(8),
  };
  repository = await engine.create(location);
  await shell(
    "mkdir -p src/sub && echo one > src/a && ln src/a src/sub/b && ln src/a src/z && mkfifo src/pipe",
  );
});

afterEach(async () => {
  await repository.close();
  await rm(folder, { recursive: true, force: true });
});

/** All of it, and then it breaks off, so late that data which did not wait for it would be there. */
async function* late(input: AsyncIterable<Uint8Array> | undefined): AsyncIterable<Uint8Array> {
  for await (const chunk of input ?? []) yield chunk;
  await new Promise((wake) => setTimeout(wake, 3_000));
  throw new Error("it broke off");
}

async function* heard(words: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of words) {
    onWords(Buffer.from(chunk).toString());
    yield chunk;
  }
}

async function shell(script: string): Promise<string> {
  return (await run("bash", ["-ec", script], { cwd: folder })).stdout;
}

/** kopia as anybody would use it. */
async function bareKopia(...args: readonly string[]): Promise<string> {
  const env = {
    HOME: join(folder, "home"),
    KOPIA_CONFIG_PATH: join(folder, "bare.config"),
    KOPIA_PASSWORD: location.password,
    KOPIA_CHECK_FOR_UPDATES: "false",
  };
  return (await run(kopiaProgram(), args, { env })).stdout;
}

function snapshot(options: Partial<SnapshotOptions> = {}) {
  const identity = { username: "u", hostname: "h", path: "/data" };
  return repository.snapshot({ source: join(folder, "src"), identity, run: `run-${++taken}`, ...options });
}

const countsOf = (losses: readonly Loss[]) =>
  Object.fromEntries(losses.map(({ kind, count }) => [kind, count]));

async function listed(): Promise<readonly Snapshot[]> {
  const found: Snapshot[] = [];
  for await (const one of repository.list()) found.push(one);
  return found;
}

async function failure(promise: Promise<unknown>): Promise<EngineError> {
  return promise.then(
    () => expect.unreachable("it did not fail"),
    (error: EngineError) => error,
  );
}

describe("beside a bare kopia", { timeout: 60_000 }, () => {
  test("what it wrote is restored by kopia alone, but for what kopia does not keep", async () => {
    const { snapshot: made } = await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("restore", made.id, join(folder, "out"));
    expect((await readdir(join(folder, "out"))).toSorted()).toEqual(["a", "sub", "z"]);
    expect(await readFile(join(folder, "out/sub/b"), "utf8")).toBe("one\n");
  });

  test("what kopia alone wrote is listed and restored, without a claim to be whole", async () => {
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("snapshot", "create", "--no-auto-maintenance", join(folder, "src"));
    const [found] = await listed();
    expect(found).toMatchObject({ fidelity: "Engine", files: 3 });
    expect(found?.run).toBeUndefined();
    const { fidelity } = await repository.restore({ snapshot: found?.id ?? "", target: join(folder, "out") });
    expect(fidelity).toBe("Engine");
    expect(await readFile(join(folder, "out/z"), "utf8")).toBe("one\n");
  });

  test("kopia keeps its caches within the limits that it is given", async () => {
    const cache = { contentBytes: 1234, metadataBytes: 5678 };
    const limited = await engine.open(location, { cache });
    const files = await readdir(join(folder, "engine"), { recursive: true });
    const configs = files.filter((path) => path.endsWith("/repository.config"));
    const written = await Promise.all(
      configs.map(async (path) => JSON.parse(await readFile(join(folder, "engine", path), "utf8"))),
    );
    const caching = expect.objectContaining({
      maxCacheSize: 1234,
      contentCacheSizeLimitBytes: 1234,
      maxMetadataCacheSize: 5678,
      metadataCacheSizeLimitBytes: 5678,
    });
    expect(written).toContainEqual(expect.objectContaining({ caching }));
    await limited.close();
  });

  test("a backup maintains nothing by the way", async () => {
    await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    const runs = async () => JSON.parse(await bareKopia("maintenance", "info", "--json")).schedule.runs;
    expect(await runs()).toBeNull();
    await repository.maintain({ mode: "Quick" });
    expect(await runs()).not.toBeNull();
  });

  test("another maintainer is respected until it is taken over", async () => {
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("maintenance", "set", "--owner=somebody@else");
    const seen: string[] = [];
    const how = { mode: "Quick", owner: "kopiur/nas", onOwner: (owner: string) => seen.push(owner) } as const;
    const another = { class: "OwnedByAnother", message: expect.stringContaining("somebody@else") };
    expect(await failure(repository.maintain(how))).toMatchObject(another);
    const gone = { takeOver: true, takeOverFrom: "a@third" };
    expect(await failure(repository.maintain({ ...how, ...gone }))).toMatchObject(another);
    await repository.maintain({ ...how, takeOver: true, takeOverFrom: "somebody@else" });
    await repository.maintain(how);
    expect(seen).toEqual(["somebody@else", "somebody@else", "kopiur/nas", "kopiur/nas"]);
    expect(await failure(repository.maintain({ mode: "Full" }))).toMatchObject({ class: "OwnedByAnother" });
  });

  test("a repository that nobody maintains yet is maintained by whoever comes first", async () => {
    await repository.maintain({ mode: "Quick", owner: "kopiur/nas" });
    const other = await failure(repository.maintain({ mode: "Quick", owner: "kopiur/other" }));
    expect(other).toMatchObject({ class: "OwnedByAnother", message: expect.stringContaining("kopiur/nas") });
  });

  test("a snapshot that somebody pins says so, and is known by its run and content still", async () => {
    const { snapshot: made } = await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("snapshot", "pin", made.id, "--add=audit");
    expect(await listed()).toMatchObject([{ run: made.run, fidelity: "Full", pinned: true }]);
  });
});

describe("processes", { timeout: 60_000 }, () => {
  /** What kopia is told to do meanwhile. */
  async function started(work: () => Promise<unknown>): Promise<readonly string[]> {
    const seen: string[] = [];
    onStart = (args) => seen.push(args.slice(0, 2).join(" "));
    await work();
    return seen.filter((command) => !/^(scan|pipe) /.test(command)).toSorted();
  }

  test("are one for opening and one for a snapshot, beside its companion's", async () => {
    await snapshot();
    expect(await started(snapshot)).toEqual(["snapshot create", "snapshot create"]);
    const opened = await started(async () => (await engine.open(location)).close());
    expect(opened).toEqual(["policy export"]);
  });

  test("are one more for policies that somebody changed, which are ours again before the snapshot", async () => {
    await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("policy", "set", "u@h:/data", "--add-ignore=a", "--keep-latest=1");
    await repository.close();
    repository = await engine.open(location);
    expect(await started(snapshot)).toEqual(["policy import", "snapshot create", "snapshot create"]);
    expect(await listed()).toMatchObject([{ files: 3 }, { files: 3 }]);
  });
});

describe("the companion", { timeout: 60_000 }, () => {
  test("is hidden, goes with its data, and is not counted", async () => {
    const { snapshot: made } = await snapshot();
    expect((await listed()).map(({ id }) => id)).toEqual([made.id]);
    expect((await repository.stats()).snapshots).toBe(1);
    await repository.delete([made.id]);
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    expect(JSON.parse(await bareKopia("snapshot", "list", "--all", "--json"))).toEqual([]);
  });

  test("of a run that has ended goes where somebody else has deleted its data, and no other does", async () => {
    // As Velero calls its sources.
    const identity = { username: "default", hostname: "default", path: "snapshot-pod-volume/kopia/a/b/c" };
    const full = { identity, fidelity: "Full" } as const;
    const gone = await snapshot({ ...full, run: "gone" });
    const other = await snapshot({ ...full, run: "other" });
    const kept = await snapshot({ ...full, run: "kept" });
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    for (const { snapshot: made } of [gone, other])
      await bareKopia("snapshot", "delete", "--delete", made.id);
    await repository.close();
    repository = await engine.open(location);
    expect(await repository.deleteCompanions(["gone", "kept", "none"])).toBe(1);
    expect(await listed()).toMatchObject([{ id: kept.snapshot.id, fidelity: "Full" }]);
    expect(await repository.deleteCompanions(["gone"])).toBe(0);
    expect(await repository.deleteCompanions(["other"])).toBe(1);
    const restored = await repository.restore({ snapshot: kept.snapshot.id, target: join(folder, "out") });
    expect(restored).toMatchObject({ fidelity: "Full", losses: [] });
  });

  test("stays for as long as another snapshot of the same run needs it", async () => {
    const first = await snapshot({ run: "same" });
    const second = await snapshot({ run: "same" });
    await repository.delete([first.snapshot.id]);
    expect(await listed()).toMatchObject([{ id: second.snapshot.id, fidelity: "Full" }]);
  });

  test("leaves a snapshot degraded when it is lost, and what kopia kept can still be restored", async () => {
    const { snapshot: made } = await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    const all = JSON.parse(await bareKopia("snapshot", "list", "--all", "--json")) as { id: string }[];
    const companion = all.find(({ id }) => id !== made.id)?.id ?? "";
    await bareKopia("snapshot", "delete", "--delete", companion);
    expect(await listed()).toMatchObject([{ id: made.id, fidelity: "Degraded" }]);
    const restore = { snapshot: made.id, target: join(folder, "out") };
    expect(await failure(repository.restore(restore))).toMatchObject({
      class: "Unsupported",
      message: expect.stringContaining("record"),
    });
    expect(await readdir(join(folder, "out"))).toEqual([]);
    const result = await repository.restore({ ...restore, ownership: "BestEffort" });
    expect(result.fidelity).toBe("Degraded");
    expect(countsOf(result.losses)).toEqual({ HardLink: 2, Fifo: 1, Time: 2 });
    expect(await readFile(join(folder, "out/a"), "utf8")).toBe("one\n");
  });

  test("adds next to nothing to the repository when nothing changed, whatever the record holds", async () => {
    await shell("head -c 1000000 /dev/urandom > src/$'\\xff'");
    const first = await snapshot();
    const before = (await repository.stats()).storedBytes;
    const second = await snapshot();
    expect(second.snapshot.root).toBe(first.snapshot.root);
    expect((await repository.stats()).storedBytes - before).toBeLessThan(50_000);
  });

  test("is left out with fidelity Engine, and then the result counts what will not come back", async () => {
    const { snapshot: made, losses } = await snapshot({ fidelity: "Engine" });
    expect(made.fidelity).toBe("Engine");
    expect(countsOf(losses)).toEqual({ HardLink: 2, Fifo: 1, Time: 2 });
    const restored = await repository.restore({ snapshot: made.id, target: join(folder, "out") });
    expect(countsOf(restored.losses)).toEqual(countsOf(losses));
  });

  test("is left out with fidelity Engine, and then the result counts what the data excludes, if it is asked to", async () => {
    await shell(
      "mkdir src/left && touch src/left/x src/one src/two && printf '/left\n/one\n' > src/.kopiaignore",
    );
    const ignore = { files: [".kopiaignore"] };
    const excluded = async (counted: boolean) => {
      const { losses } = await snapshot({ fidelity: "Engine", ignore: { ...ignore, counted } });
      return losses.find(({ kind }) => kind === "Content");
    };
    expect(await excluded(false)).toBeUndefined();
    expect(await excluded(true)).toMatchObject({ count: 2, reason: expect.stringContaining("excludes it") });
  });

  test("is left out with fidelity Engine, and then the result counts names that kopia cannot write", async () => {
    await shell("printf x > src/$(printf '\\xe9%.0s' $(seq 100))");
    const { losses } = await snapshot({ fidelity: "Engine" });
    expect(losses.find(({ kind }) => kind === "Content")).toMatchObject({
      count: 1,
      reason: expect.stringContaining("too long"),
    });
    expect((await snapshot({ fidelity: "Full" })).losses).toEqual([]);
  });

  test("is left out where somebody else writes too, unless it is asked for", async () => {
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("snapshot", "create", "--no-auto-maintenance", join(folder, "src"));
    await repository.close();
    repository = await engine.open(location);
    const { snapshot: made, losses } = await snapshot();
    expect(made.fidelity).toBe("Engine");
    expect(losses.map(({ kind }) => kind)).toContain("HardLink");
    expect(await bareKopia("policy", "list")).not.toContain("companion");
    expect((await snapshot()).snapshot.fidelity).toBe("Engine");
    expect((await snapshot({ fidelity: "Full" })).snapshot.fidelity).toBe("Full");
    expect((await snapshot()).snapshot.fidelity).toBe("Full");
  });

  test("stays where somebody else comes later", async () => {
    await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    await bareKopia("snapshot", "create", "--no-auto-maintenance", join(folder, "src"));
    await repository.close();
    repository = await engine.open(location);
    expect((await snapshot()).snapshot.fidelity).toBe("Full");
  });

  test("is there first: without it the data are not begun", async () => {
    await snapshot();
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    const all = () => bareKopia("snapshot", "list", "--all", "--json");
    const before = await all();
    let begun = false;
    onStart = (args) => {
      begun ||= args.includes("create") && args.includes(join(folder, "src"));
    };
    breakCompanion = true;
    const error = await failure(snapshot());
    breakCompanion = false;
    expect(error.message).toContain("recording what kopia does not keep");
    expect(begun).toBe(false);
    expect(await all()).toBe(before);
  });

  test("takes its data with it when it is gone at the end of a long backup", async () => {
    await bareKopia("repository", "connect", "filesystem", `--path=${join(folder, "repo")}`);
    const companion = async (): Promise<string> => {
      const all = JSON.parse(await bareKopia("snapshot", "list", "--all", "--json"));
      const isOne = ({ source }: { source: { userName: string } }) => source.userName !== "u";
      return all.find(isOne)?.id ?? companion();
    };
    onStart = (args, started) => {
      if (args[1] !== "create" || !args.includes(join(folder, "src"))) return;
      const { ended } = started;
      const late = async () => {
        const end = await ended;
        await bareKopia("snapshot", "delete", "--delete", await companion());
        laterMs = 2 * 3_600_000;
        return end;
      };
      Object.assign(started, { ended: late() });
    };
    const error = await failure(snapshot());
    expect(error.message).toContain("deleted while the backup was under way");
    onStart = () => {};
    expect(await listed()).toEqual([]);
  });

  test("restores links whose first name was ignored", async () => {
    const { snapshot: made } = await snapshot({ ignore: { paths: ["/a"] } });
    await repository.restore({ snapshot: made.id, target: join(folder, "out") });
    expect((await readdir(join(folder, "out"))).toSorted()).toEqual(["pipe", "sub", "z"]);
    expect(await readFile(join(folder, "out/z"), "utf8")).toBe("one\n");
    expect((await stat(join(folder, "out/z"))).nlink).toBe(2);
  });

  test.each([
    ["two", "rm src/z", []],
    ["two", "rm src/z", NOT_UNDERSTOOD],
    ["three", "mv src/z src/left", NOT_UNDERSTOOD],
  ])("brings nothing back of a file of %s names that were all ignored (%s, %j)", async (_, third, rules) => {
    await shell(`mkdir -p src/left/out; mv src/a src/sub/b src/left/out; ${third}`);
    await shell("echo kept > src/sub/kept; ln src/sub/kept src/kept");
    const { snapshot: made } = await snapshot({ ignore: { paths: ["/left", ...rules] } });
    await repository.restore({ snapshot: made.id, target: join(folder, "out") });
    expect((await readdir(join(folder, "out"), { recursive: true })).toSorted()).toEqual([
      "kept",
      "pipe",
      "sub",
      "sub/kept",
    ]);
    expect((await stat(join(folder, "out/kept"))).nlink).toBe(2);
  });

  test("brings an ignored name of a file not back whose other names it holds", async () => {
    const { snapshot: made } = await snapshot({ ignore: { paths: ["/sub", ...NOT_UNDERSTOOD] } });
    await repository.restore({ snapshot: made.id, target: join(folder, "out") });
    expect((await readdir(join(folder, "out"))).toSorted()).toEqual(["a", "pipe", "z"]);
    expect((await stat(join(folder, "out/z"))).nlink).toBe(2);
  });

  test.skipIf(process.getuid?.() !== 0)("knows nothing of owners of what was ignored", async () => {
    await shell("mkfifo src/x.tmp; chown 4242:4242 src/x.tmp; mkdir src/lost; chown 4343 src/lost");
    const { snapshot: made } = await snapshot({ ignore: { paths: ["*.tmp", "/lost"] } });
    expect(made.owners).toEqual([{ uid: 0, gid: 0 }]);
  });

  test("does not link what changed between the record and the backup", async () => {
    await shell("rm src/sub/b && echo two > src/sub/b && touch -r src/a src/sub/b");
    const { snapshot: made } = await snapshot();
    await repository.restore({ snapshot: made.id, target: join(folder, "out") });
    expect(await readFile(join(folder, "out/sub/b"), "utf8")).toBe("two\n");
    expect((await stat(join(folder, "out/a"))).nlink).toBe(2);
  });
});

test("what the storage does not take is never among what could not be read", {
  timeout: 240_000,
}, async () => {
  await shell("head -c 50000000 /dev/urandom > src/large");
  // Files are where folders of packs belong, until kopia has given up on the large one.
  const inTheWay = Array.from({ length: 256 }, (_, n) =>
    join(folder, "repo", `p${n.toString(16).padStart(2, "0")}`),
  );
  for (const path of inTheWay) await writeFile(path, "");
  onWords = (words) => {
    if (!words.includes("async write error")) return;
    onWords = () => {};
    for (const path of inTheWay) rmSync(path);
  };
  expect(await failure(snapshot({ unreadable: "Skip", fidelity: "Engine" }))).toMatchObject({
    class: "Unreachable",
    message: "taking a snapshot: the storage fails",
    detail: expect.stringContaining("not a directory"),
  });
  expect(await listed()).toEqual([]);
});

describe("a skipped identical snapshot", { timeout: 60_000 }, () => {
  test("is taken all the same when only attributes changed", async () => {
    await snapshot();
    await shell("mkfifo src/second");
    const { unchanged } = await snapshot({ skipIdentical: true });
    expect(unchanged).toBe(false);
    expect(await snapshot({ skipIdentical: true })).toMatchObject({ unchanged: true });
    expect(await listed()).toHaveLength(2);
  });
});

describe("secrets", { timeout: 60_000 }, () => {
  test("are in private files only, and gone after close()", async () => {
    const [name = ""] = await readdir(join(folder, "engine"));
    expect((await stat(join(folder, "engine", name))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "engine", name, "repository.config"))).mode & 0o777).toBe(0o600);
    expect(await shell(`! grep -rl ${location.password} engine`)).toBe("");
    await repository.close();
    expect(await readdir(join(folder, "engine"))).toEqual([]);
  });
});

describe("cancelling", { timeout: 60_000 }, () => {
  test.each(["policy", "--stdin-file=attributes", "src"])(
    "a snapshot when %s has just started leaves none, and the next one succeeds",
    async (argument) => {
      const controller = new AbortController();
      onStart = (args) => {
        if (args.some((arg) => arg.endsWith(argument))) controller.abort();
      };
      const error = await failure(snapshot({ signal: controller.signal }));
      expect(error.class).toBe("Cancelled");
      expect(await listed()).toEqual([]);
      const { snapshot: made } = await snapshot();
      expect(await listed()).toMatchObject([{ id: made.id, fidelity: "Full" }]);
    },
  );

  test("before the start runs nothing", async () => {
    const error = await failure(snapshot({ signal: AbortSignal.abort() }));
    expect(error.class).toBe("Cancelled");
    expect(await listed()).toEqual([]);
  });
});
