import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Answer } from "../../wire/report.ts";
import type { Work } from "../../wire/work.ts";
import { Reporter } from "../report/reporter.ts";
import { FakeRepository, snapshotOf } from "../testing/fake_engine.ts";
import { perform } from "./perform.ts";

/** Does some work, and says how it ended. */
async function done(repository: FakeRepository, work: Work, engine: "kopia" | "restic" = "restic") {
  const lines: Record<string, unknown>[] = [];
  const kept: Answer[] = [];
  const warnings: string[] = [];
  const destination = new FakeRepository();
  const context = {
    run: "r9",
    endedRuns: ["r7", "r8"],
    repository,
    capabilities: CAPABILITIES[engine],
    signal: new AbortController().signal,
    reporter: new Reporter({ clock: new VirtualClock(), write: (line) => lines.push(JSON.parse(line)) }),
    keep: (answer: Answer) => void kept.push(answer),
    warn: (warning: string) => void warnings.push(warning),
    openDestination: async () => destination,
    serve: async () => 5,
  };
  const error = await perform(context, work).catch((thrown: EngineError) => thrown);
  return { answer: kept.at(-1), failure: error?.class, lines, destination, warnings };
}

const source = (name: string) => ({
  name,
  path: `/holdfast/volumes/${name}`,
  identity: { username: "u", hostname: "h", path: `/${name}` },
});

function withSnapshots(...snapshots: FakeRepository["snapshots"]): FakeRepository {
  const repository = new FakeRepository();
  repository.snapshots = snapshots;
  return repository;
}

describe("perform()", () => {
  test("init measures the repository", async () => {
    const { answer } = await done(withSnapshots(snapshotOf(1)), { init: { create: true } });
    expect(answer).toEqual({ init: { snapshots: 1, storedBytes: 11 } });
  });

  test("snapshot makes one of each source, with the run and its progress", async () => {
    const repository = new FakeRepository();
    const work = { snapshot: { sources: [source("a"), source("b")], tags: { k: "v" } } };
    const { answer, lines } = await done(repository, work);
    expect(repository.snapshots).toMatchObject([
      { identity: { path: "/a" }, run: "r9", tags: { k: "v" } },
      { identity: { path: "/b" }, run: "r9" },
    ]);
    expect(answer).toMatchObject({
      snapshot: {
        snapshots: [
          { source: "a", snapshot: { id: "s1" } },
          { source: "b", snapshot: { id: "s2" } },
        ],
      },
    });
    expect(lines.flatMap(({ progress }) => (progress ? [progress] : []))).toEqual([
      { version: 1, step: "snapshot", source: "a" },
      { version: 1, step: "snapshot", source: "b" },
    ]);
  });

  test("snapshot keeps what was made before a failure, and goes no further", async () => {
    const repository = new FakeRepository();
    repository.fail = (operation, count) => {
      if (operation === "snapshot" && count === 2) throw new EngineError("SourceUnreadable", "b");
    };
    const work = { snapshot: { sources: [source("a"), source("b"), source("c")] } };
    const { answer, failure } = await done(repository, work);
    expect(failure).toBe("SourceUnreadable");
    expect(answer).toMatchObject({ snapshot: { snapshots: [{ source: "a" }] } });
    expect(repository.snapshots).toHaveLength(1);
  });

  test("restore finds a snapshot whose ID has changed", async () => {
    const repository = withSnapshots(snapshotOf(1, { id: "new", run: "r", root: "k" }));
    const { answer } = await done(repository, {
      restore: { snapshot: { id: "old", run: "r", root: "k" }, target: "/t" },
    });
    expect(repository.asked).toContain("restore new to /t");
    expect(answer).toMatchObject({ restore: { snapshot: { id: "new" }, files: 1, fidelity: "Full" } });
  });

  test("restore counts what could not be read when it was backed up", async () => {
    const repository = withSnapshots(snapshotOf(1, { id: "partly", failedFiles: 3 }));
    const work = { snapshot: { id: "partly" }, target: "/t" };
    const { answer } = await done(repository, { restore: work });
    expect(answer).toMatchObject({ restore: { losses: [{ kind: "Content", count: 3 }] } });
    const part = await done(repository, { restore: { ...work, path: "some" } });
    expect(part.answer).toMatchObject({
      restore: { losses: [{ count: 3, reason: expect.stringContaining("at most") }] },
    });
  });

  test("restore says what was done otherwise than asked", async () => {
    const repository = withSnapshots(snapshotOf(1, { id: "one" }));
    repository.warnings = ["in place"];
    const { answer, warnings } = await done(repository, {
      restore: { snapshot: { id: "one" }, target: "/t" },
    });
    expect(warnings).toEqual(["in place"]);
    expect(answer).not.toHaveProperty("restore.warnings");
  });

  test("restore of nothing writes nothing", async () => {
    const repository = new FakeRepository();
    const { failure } = await done(repository, { restore: { snapshot: { id: "x" }, target: "/t" } });
    expect(failure).toBe("SnapshotMissing");
    expect(repository.asked).toEqual(["restore x to /t"]);
  });

  test("restore holds its target against movers of earlier runs that nobody saw end", async () => {
    const repository = withSnapshots(snapshotOf(1));
    const seen: unknown[] = [];
    const { restore } = repository;
    repository.restore = (options) => {
      seen.push(options.fence);
      return restore.call(repository, options);
    };
    await done(repository, { restore: { snapshot: { id: "s1" }, target: "/t" } });
    expect(seen).toEqual([{ run: "r9", ended: ["r7", "r8"] }]);
  });

  test("delete takes references and runs, and what is gone for granted", async () => {
    const repository = withSnapshots(
      snapshotOf(1),
      snapshotOf(2, { run: "r2" }),
      snapshotOf(3, { run: "r2" }),
      snapshotOf(4),
    );
    const work = { delete: { snapshots: [{ id: "s1" }, { id: "gone" }], runs: ["r2"] } };
    expect((await done(repository, work)).answer).toEqual({ delete: { deleted: 3 } });
    expect(repository.snapshots.map(({ id }) => id)).toEqual(["s4"]);
    expect((await done(repository, work)).answer).toEqual({ delete: { deleted: 0 } });
    expect(repository.asked.filter((what) => what.startsWith("delete"))).toHaveLength(1);
  });

  test("delete takes what is left beside the snapshots of runs once these are gone, where it is told to", async () => {
    const repository = withSnapshots(snapshotOf(1, { run: "r1" }));
    await done(repository, { delete: { snapshots: [], runs: ["r1"], companionsOf: ["r1", "r2"] } });
    expect(repository.asked).toEqual(["list", "delete s1", "delete companions of r1 r2"]);
  });

  test.each([
    { delete: { snapshots: [{ id: "s1" }] } },
    { check: {} },
    { restore: { snapshot: { id: "s1" }, target: "/t" } },
    { snapshot: { sources: [source("a")] } },
  ])("%j goes past the locks of the dead", async (work) => {
    const repository = withSnapshots(snapshotOf(1));
    repository.locks = 2;
    // Somebody died who had wanted to be alone: nobody else gets in.
    repository.fail = (operation) => {
      if (!["unlock", "list"].includes(operation) && repository.locks > 0)
        throw new EngineError("Locked", "by the dead");
    };
    const { failure, lines } = await done(repository, work);
    expect(failure).toBeUndefined();
    expect(lines).toContainEqual({
      log: { level: "warn", message: "removed 2 locks whose owners are dead, and try again" },
    });
  });

  test("a lock whose owner lives stays, and is the failure", async () => {
    const repository = withSnapshots(snapshotOf(1));
    repository.locks = 1;
    repository.unlock = async () => 0;
    expect((await done(repository, { check: {} })).failure).toBe("Locked");
    expect(repository.asked.filter((what) => what === "check")).toHaveLength(1);
  });

  test("maintain removes the locks of the dead first, where there are locks", async () => {
    const repository = new FakeRepository();
    repository.locks = 2;
    const { answer } = await done(repository, { maintain: { mode: "Full" } });
    expect(answer).toEqual({ maintain: { freedBytes: 7, locksRemoved: 2 } });
    expect((await done(repository, { maintain: { mode: "Quick" } }, "kopia")).answer).toEqual({
      maintain: { freedBytes: 7 },
    });
    repository.locks = 1;
    expect((await done(repository, { maintain: { mode: "Quick", unlock: false } })).failure).toBe("Locked");
  });

  test("maintain says who maintains the repository, when that is somebody else", async () => {
    const repository = new FakeRepository();
    repository.maintainer = "somebody@else";
    expect(await done(repository, { maintain: { mode: "Quick" } }, "kopia")).toMatchObject({
      failure: "OwnedByAnother",
      answer: { maintain: { owner: "somebody@else" } },
    });
  });

  const maintainAndCheck = { maintain: { mode: "Quick", check: true } } as const;
  const missing = { packs: 1, snapshots: 0, hit: [] };

  test("maintain checks afterwards when asked to, and is done whatever is missing", async () => {
    const repository = new FakeRepository();
    expect(await done(repository, maintainAndCheck)).toMatchObject({
      failure: undefined,
      answer: { maintain: { freedBytes: 7, check: { problems: [] } } },
    });
    repository.problems = ["pack p is missing"];
    repository.missing = missing;
    expect(await done(repository, maintainAndCheck)).toMatchObject({
      failure: undefined,
      answer: { maintain: { freedBytes: 7, check: { problems: ["pack p is missing"], missing } } },
    });
    expect(repository.asked.filter((what) => what === "check")).toHaveLength(2);
    await done(repository, { maintain: { mode: "Quick" } });
    expect(repository.asked.filter((what) => what === "check")).toHaveLength(2);
  });

  test.each(["Corrupt", "OwnedByAnother"] as const)(
    "maintain checks after %s, too, which stays the failure",
    async (failure) => {
      const repository = new FakeRepository();
      repository.problems = ["pack p is missing"];
      repository.fail = (operation) => {
        if (operation === "maintain") throw new EngineError(failure, "no");
      };
      expect(await done(repository, maintainAndCheck)).toMatchObject({
        failure,
        answer: { maintain: { check: { problems: ["pack p is missing"] } } },
      });
    },
  );

  test("maintain does not check a repository that does not answer", async () => {
    const repository = new FakeRepository();
    repository.fail = (operation) => {
      if (operation === "maintain") throw new EngineError("Unreachable", "away");
    };
    expect((await done(repository, maintainAndCheck)).failure).toBe("Unreachable");
    expect(repository.asked).not.toContain("check");
  });

  test("maintain is done when its check comes to no end, and says so", async () => {
    const repository = new FakeRepository();
    repository.fail = (operation) => {
      if (operation === "check") throw new EngineError("Unreachable", "the storage went away");
    };
    const { failure, answer, warnings } = await done(repository, maintainAndCheck);
    expect(failure).toBeUndefined();
    expect(answer).toEqual({ maintain: { freedBytes: 7, locksRemoved: 0 } });
    expect(warnings).toEqual(["The repository was maintained, and not checked: the storage went away."]);
  });

  test.each([
    [{ check: { dataPercent: 5 } }, { check: { problems: ["p1", "p2"] } }],
    [{ verify: { snapshot: { id: "s1" } } }, { verify: { files: 3, problems: ["p1", "p2"] } }],
  ] satisfies [Work, Answer][])(
    "%j that finds damage fails, and says what it found",
    async (work, expected) => {
      const repository = withSnapshots(snapshotOf(1));
      expect(await done(repository, work)).toMatchObject({ failure: undefined });
      repository.problems = ["p1", "p2"];
      expect(await done(repository, work)).toMatchObject({ failure: "Corrupt", answer: expected });
    },
  );

  test("catalog counts all, and lists the newest, newest first", async () => {
    const repository = withSnapshots(...[1, 2, 3, 4].map((n) => snapshotOf(n, { run: n === 1 ? "x" : "r" })));
    const { answer } = await done(repository, { catalog: { filter: { run: "r" }, limit: 2 } });
    expect(answer).toMatchObject({
      catalog: { found: 3, stats: { snapshots: 4 }, snapshots: [{ id: "s4" }, { id: "s3" }] },
    });
    expect(answer).not.toHaveProperty("catalog.later");
  });

  test("catalog tells how large those were that it does not list, oldest first", async () => {
    const sized = (n: number, bytes: number, more = {}) => snapshotOf(n, { bytes, ...more });
    const all = [
      sized(1, 900, { files: 9 }),
      sized(2, 1, { incomplete: "half" }),
      sized(3, 800),
      sized(4, 700),
    ];
    const at = (n: number) => Date.parse(snapshotOf(n).startedAt) / 1000;
    const { answer } = await done(withSnapshots(...all), { catalog: { limit: 1 } });
    expect(answer).toMatchObject({ catalog: { snapshots: [{ id: "s4" }] } });
    expect(answer).toHaveProperty("catalog.older", [
      [at(1), 900, 9],
      [at(3), 800],
    ]);
    expect((await done(withSnapshots(...all), { catalog: {} })).answer).not.toHaveProperty("catalog.older");
  });

  test("catalog passes over what was begun later than asked for", async () => {
    const repository = withSnapshots(...[1, 2, 3].map((n) => snapshotOf(n)));
    const { startedAt: until } = snapshotOf(2);
    const { answer } = await done(repository, { catalog: { until, limit: 1 } });
    expect(answer).toMatchObject({
      catalog: { found: 2, later: 1, stats: { snapshots: 3 }, snapshots: [{ id: "s2" }] },
    });
  });

  test("copy copies to the second repository", async () => {
    const backend = { filesystem: { path: "/other" } };
    const { answer, destination } = await done(withSnapshots(snapshotOf(1)), {
      copy: { destination: { backend } },
    });
    expect(answer).toEqual({ copy: { copied: 1, alreadyThere: 0 } });
    expect(destination.snapshots).toHaveLength(1);
  });

  test("session says how many questions there were", async () => {
    const work = { session: { listen: { tls: { port: 1, folder: "/keys" } } } };
    expect((await done(new FakeRepository(), work)).answer).toEqual({ session: { requests: 5 } });
  });
});
