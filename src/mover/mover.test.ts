import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { EngineError } from "../wire/engine_error.ts";
import { EXIT_CODES } from "../wire/exit_codes.ts";
import type { ProgressLine, Result } from "../wire/report.ts";
import type { EngineRoom } from "./engine_maker.ts";
import { runMover } from "./mover.ts";
import { giveStartSignal } from "./start_signal.ts";
import { FakeEngine, FakeRepository } from "./testing/fake_engine.ts";

let pod: string;
beforeEach(() => {
  pod = mkdtempSync(join(tmpdir(), "holdfast-pod-"));
  for (const folder of ["work", "password", "tmp"]) mkdirSync(join(pod, folder));
  writeFileSync(join(pod, "password/password"), "secret\n");
  writeFileSync(join(pod, "termination"), "");
});
afterEach(() => rmSync(pod, { recursive: true }));

const backend = { filesystem: { path: "/holdfast/repository" } };
const source = { name: "a", path: "/a", identity: { username: "u", hostname: "h", path: "/a" } };

function mover(
  spec: object | string,
  {
    engine = new FakeEngine(),
    signal = new AbortController().signal,
    mounts = {},
    args = [] as readonly string[],
  } = {},
) {
  const full = { version: 1, run: "r1", engine: "restic", repository: { backend }, ...(spec as object) };
  writeFileSync(join(pod, "work/work.json"), typeof spec === "string" ? spec : JSON.stringify(full));
  const clock = new VirtualClock();
  const lines: Record<string, unknown>[] = [];
  const map = {
    "/holdfast": pod,
    "/tmp": join(pod, "tmp"),
    "/dev/termination-log": join(pod, "termination"),
    ...mounts,
  };
  const rooms: EngineRoom[] = [];
  const exit = runMover({
    env: { HOLDFAST_PATH_MAP: JSON.stringify(map) },
    clock,
    makeEngine: async (_, room) => {
      rooms.push(room);
      return engine;
    },
    write: (line) => lines.push(JSON.parse(line)),
    signal,
    listen: async () => {
      throw new Error("no network here");
    },
    args,
  });
  const result = async () => {
    await exit;
    return lines.at(-1)?.result as Result;
  };
  return { clock, exit, lines, result, engine, rooms };
}

function repositoryOf(engine: FakeEngine): FakeRepository {
  const repository = new FakeRepository();
  engine.repositories.set(JSON.stringify({ filesystem: { path: join(pod, "repository") } }), repository);
  return repository;
}

describe("runMover()", () => {
  test("does the work, reports, leaves the same as last words, and cleans up", async () => {
    const engine = new FakeEngine();
    const repository = repositoryOf(engine);
    const { exit, result, lines } = mover({ work: { snapshot: { sources: [source] } } }, { engine });
    expect(await exit).toBe(0);
    expect(lines[0]).toEqual({ progress: { version: 1, step: "Connecting" } });
    expect(await result()).toMatchObject({
      version: 1,
      run: "r1",
      startedAt: "2026-01-01T00:00:00.000Z",
      repository: { id: "fake", created: false },
      answer: { snapshot: { snapshots: [{ source: "a" }] } },
    });
    expect(JSON.parse(readFileSync(join(pod, "termination"), "utf8"))).toEqual(await result());
    expect(repository.closed).toBe(true);
    expect(readdirSync(join(pod, "tmp"))).toEqual([]);
  });

  test("a cache that it may not write is with its temporary files instead, and that is said", async () => {
    const engine = new FakeEngine();
    repositoryOf(engine);
    const work = { snapshot: { sources: [source] } };
    mkdirSync(join(pod, "cache"));
    const usual = mover({ work }, { engine });
    expect((await usual.result()).warnings).toBeUndefined();
    expect(usual.rooms).toMatchObject([{ cacheFolder: join(pod, "cache/restic") }]);
    // Not even root can write there.
    const { exit, result, lines, rooms } = mover(
      { work },
      { engine, mounts: { "/holdfast/cache": "/proc/sys/kernel" } },
    );
    expect(await exit).toBe(0);
    expect(rooms[0]).not.toHaveProperty("cacheFolder");
    const said = expect.stringMatching(/cannot be written .* on the node's disk\. .*storage class/);
    expect((await result()).warnings).toEqual([said]);
    expect(lines).toContainEqual({ log: { level: "warn", message: said } });
  });

  test.each([
    ["snapshot", { sources: [{ ...source, path: "/proc", mountedOver: "" }] }],
    ["restore", { snapshot: { id: "s" }, target: "/proc", mountedOver: "" }],
  ])("begins no %s where the volume is not mounted", async (kind, work) => {
    const engine = new FakeEngine();
    repositoryOf(engine);
    // The root of a file system ends like this: it stands for the folder of a node.
    const { exit, result } = mover({ work: { [kind]: work } }, { engine });
    expect(await exit).toBe(EXIT_CODES.Interrupted);
    expect(await result()).not.toHaveProperty("repository");
    expect((await result()).failure).toMatchObject({
      class: "Interrupted",
      message: "/proc is an empty folder of the node: the volume is not mounted",
    });
  });

  test("creates a repository only when told to", async () => {
    const engine = new FakeEngine();
    const first = mover({ work: { init: {} } }, { engine });
    expect(await first.exit).toBe(11);
    expect(await first.result()).toMatchObject({ failure: { class: "NotARepository" } });
    expect(await mover({ work: { init: { create: true } } }, { engine }).exit).toBe(0);
    expect(engine.repositories.size).toBe(1);
  });

  test.each([
    ["nonsense", "", /not JSON/],
    ['{"version":1,"run":"r5"}', "r5", "spec lacks the field engine"],
    ['{"version":7,"run":"r5"}', "r5", /version 1/],
  ])("ends with 2 on the work %s", async (text, run, message) => {
    const { exit, result } = mover(text);
    expect(await exit).toBe(2);
    expect(await result()).toMatchObject({
      run,
      failure: { class: "InvalidOption", message: expect.stringMatching(message) },
    });
    expect(JSON.parse(readFileSync(join(pod, "termination"), "utf8"))).toEqual(await result());
  });

  test("keeps what was achieved beside the failure", async () => {
    const engine = new FakeEngine();
    repositoryOf(engine).fail = (operation, count) => {
      if (operation === "snapshot" && count === 2) throw new EngineError("Full", "no space");
    };
    const sources = [source, { ...source, name: "b" }];
    const { exit, result } = mover({ work: { snapshot: { sources } } }, { engine });
    expect(await exit).toBe(20);
    expect(await result()).toMatchObject({
      answer: { snapshot: { snapshots: [{ source: "a" }] } },
      failure: { class: "Full", message: "no space", remedy: expect.stringContaining("space") },
    });
  });

  test("says as whom to run where the repository's files are another user's", async () => {
    const engine = new FakeEngine();
    repositoryOf(engine).fail = () => {
      const detail = `open ${join(pod, "repository")}/config: permission denied`;
      throw new EngineError("Forbidden", "the storage refuses access", { detail });
    };
    const { result } = mover({ work: { check: {} } }, { engine });
    expect(await result()).toMatchObject({
      failure: { class: "Forbidden", remedy: expect.stringContaining("moverDefaults.securityContext") },
    });
  });

  test("says which secrets are missing, and asks the engine nothing", async () => {
    rmSync(join(pod, "password/password"));
    const { exit, result } = mover({ work: { check: {} } });
    expect(await exit).toBe(16);
    expect(await result()).toMatchObject({ failure: { class: "CredentialsMissing" } });
  });

  test("gives up at its deadline", async () => {
    const engine = new FakeEngine();
    const repository = repositoryOf(engine);
    repository.fail = () => clock.advance(5000);
    const { clock, exit, result } = mover({ deadlineSeconds: 5, work: { check: {} } }, { engine });
    expect(await exit).toBe(36);
    expect(await result()).toMatchObject({
      failure: { class: "Deadline", message: expect.stringContaining("took longer than 5 s") },
    });
    expect(repository.closed).toBe(true);
  });

  test("is Cancelled when told to end", async () => {
    const engine = new FakeEngine();
    const stop = new AbortController();
    const repository = repositoryOf(engine);
    repository.fail = () => stop.abort(new Error("SIGTERM"));
    const { exit, result } = mover({ work: { check: {} } }, { engine, signal: stop.signal });
    expect(await exit).toBe(35);
    expect(await result()).toMatchObject({ failure: { class: "Cancelled" } });
    expect(repository.closed).toBe(true);
  });

  describe("that starts by signal", () => {
    const work = { snapshot: { sources: [source] } };
    const file = () => join(pod, "tmp/start");
    const env = () => ({ HOLDFAST_PATH_MAP: JSON.stringify({ "/tmp": join(pod, "tmp") }) });
    const steps = (lines: readonly Record<string, unknown>[]) =>
      lines.flatMap(({ progress }) => (progress ? [(progress as ProgressLine).step] : []));

    /** A mover that is prepared; its first operation on the repository is noted. */
    async function prepared(more: object = {}, signal?: AbortSignal) {
      const engine = new FakeEngine();
      const repository = repositoryOf(engine);
      const touched: string[] = [];
      repository.fail = (operation) => void touched.push(operation);
      const started = mover(
        { startsBySignal: true, work, ...more },
        { engine, ...(signal ? { signal } : {}) },
      );
      await expect.poll(() => steps(started.lines)).toEqual(["Connecting", "Prepared"]);
      // It looks for the file, and finds none.
      await expect.poll(() => started.clock.pendingTimers).toBe(1);
      expect(touched).toEqual([]);
      return { ...started, repository, touched };
    }

    test("is prepared, and does its work once it is told to", async () => {
      const { clock, exit, result, lines, touched } = await prepared();
      expect(await giveStartSignal(env(), () => {})).toBe(0);
      await clock.advance(250);
      expect(await exit).toBe(0);
      expect(steps(lines).slice(0, 3)).toEqual(["Connecting", "Prepared", "snapshot"]);
      expect(touched).toContain("snapshot");
      expect(await result()).toMatchObject({ repository: { id: "fake" }, answer: { snapshot: {} } });
    });

    test("starts at once when it was told before it waits", async () => {
      const engine = new FakeEngine();
      repositoryOf(engine);
      writeFileSync(file(), "");
      expect(await mover({ startsBySignal: true, work }, { engine }).exit).toBe(0);
    });

    test("gives up when nobody tells it, and says that it touched nothing", async () => {
      const { clock, exit, result, touched, repository } = await prepared({ prepareTimeoutSeconds: 60 });
      await clock.advance(60_000);
      expect(await exit).toBe(36);
      const { failure, repository: reached } = await result();
      expect(failure).toMatchObject({
        class: "Deadline",
        message: "the prepared mover was not told to start within 60 s",
      });
      expect([reached, touched, repository.closed]).toEqual([undefined, [], true]);
    });

    test("waits for half an hour by default", async () => {
      const { clock, exit, lines } = await prepared();
      await clock.advance(1_799_000);
      expect(steps(lines)).toEqual(["Connecting", "Prepared"]);
      await clock.advance(1_000);
      expect(await exit).toBe(36);
    });

    test("ends when it is told to end instead", async () => {
      const stop = new AbortController();
      const { exit, result, touched } = await prepared({}, stop.signal);
      stop.abort(new Error("SIGTERM"));
      expect(await exit).toBe(35);
      const { failure, repository } = await result();
      expect([failure?.class, repository, touched]).toEqual(["Cancelled", undefined, []]);
    });

    test("has its time for the work from then on", async () => {
      const { clock, exit, result, repository } = await prepared({ deadlineSeconds: 5 });
      await clock.advance(60_000);
      repository.fail = () => clock.advance(5000);
      writeFileSync(file(), "");
      await clock.advance(250);
      expect(await exit).toBe(36);
      expect((await result()).failure?.message).toContain("took longer than 5 s");
    });

    test("cannot create a repository, as opening it is the work", async () => {
      const { exit, result } = mover({ startsBySignal: true, work: { init: { create: true } } });
      expect(await exit).toBe(2);
      expect((await result()).failure?.message).toContain("init cannot wait");
    });

    test("is not told where its folder cannot be written", async () => {
      rmSync(join(pod, "tmp"), { recursive: true });
      const said: string[] = [];
      expect(await giveStartSignal(env(), (line) => said.push(line))).toBe(1);
      expect(said).toEqual([expect.stringContaining("the start signal could not be given")]);
    });
  });

  test("ends with 1 on a fault of its own, and says so", async () => {
    const engine = new FakeEngine();
    repositoryOf(engine).fail = () => {
      throw new TypeError("x is not a function");
    };
    const { exit, result } = mover({ work: { check: {} } }, { engine });
    expect(await exit).toBe(1);
    expect((await result()).failure?.message).toBe("the mover itself failed: x is not a function");
  });

  test("says why a session cannot listen", async () => {
    const engine = new FakeEngine();
    repositoryOf(engine);
    for (const name of ["ca.crt", "tls.crt", "tls.key"]) writeFileSync(join(pod, name), "PEM");
    const listen = { tls: { port: 1, folder: "/holdfast" } };
    const { exit, result } = mover({ work: { session: { listen } } }, { engine });
    expect(await exit).toBe(38);
    expect((await result()).failure?.message).toBe("the session cannot listen: no network here");
  });

  test("copies between two repositories, each with its own secrets", async () => {
    const engine = new FakeEngine();
    const first = repositoryOf(engine);
    const second = new FakeRepository();
    const place = { filesystem: { path: join(pod, "second") } };
    engine.repositories.set(JSON.stringify(place), second);
    const work = { copy: { destination: { backend: { filesystem: { path: "/holdfast/second" } } } } };
    expect(await mover({ work }, { engine }).exit).toBe(16);
    mkdirSync(join(pod, "destination/password"), { recursive: true });
    writeFileSync(join(pod, "destination/password/password"), "other");
    expect(await mover({ work }, { engine }).exit).toBe(0);
    expect([first.closed, second.closed]).toEqual([true, true]);
  });

  describe("with a command line for a pod's volume", () => {
    const work = { snapshot: { sources: [source] } };
    const args = ["pod-volume", "backup", "--volume-path=/b", "--pod-volume-backup=n", "--log-format=json"];

    test("says for which object it works, and limits the opening of the repository", async () => {
      const engine = new FakeEngine();
      repositoryOf(engine);
      const { exit, lines } = mover({ work }, { engine, args });
      expect(await exit).toBe(0);
      expect(lines[0]).toEqual({ log: { level: "info", message: "pod-volume backup of n" } });
      const stuck = new FakeEngine();
      const asked = Promise.withResolvers<void>();
      stuck.open = (_, options) => {
        asked.resolve();
        const { promise, reject } = Promise.withResolvers<never>();
        options?.signal?.addEventListener("abort", () =>
          reject(new EngineError("Deadline", String(options.signal?.reason))),
        );
        return promise;
      };
      const late = mover({ work }, { engine: stuck, args: [...args, "--resource-timeout=5s"] });
      await asked.promise;
      await late.clock.advance(5_000);
      expect(await late.exit).toBe(36);
    });

    test.each([
      [["pod-volume", "backup"], "--volume-path must be an absolute path"],
      [
        ["pod-volume", "restore", "--volume-path=/b", "--pod-volume-restore=n", "--log-format=json"],
        "the command line asks for pod-volume restore, and the work spec for snapshot",
      ],
    ])("refuses %j", async (wrong, why) => {
      const { exit, result } = mover({ work }, { args: wrong });
      expect(await exit).toBe(2);
      expect((await result()).failure?.message).toContain(why);
    });
  });
});
