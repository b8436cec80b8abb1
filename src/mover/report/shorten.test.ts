import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Answer, Result, SnapshotAnswer } from "../../wire/report.ts";
import { snapshotOf } from "../testing/fake_engine.ts";
import { TERMINATION_LIMIT, terminationMessage } from "./shorten.ts";

const base: Result = {
  version: 1,
  run: "r1",
  startedAt: "2026-01-01T00:00:00Z",
  endedAt: "2026-01-01T00:01:00Z",
};
const read = (message: string) => JSON.parse(message) as Result;
const shortened = (result: Result) => read(terminationMessage(result));
const loss = {
  kind: "Owner",
  count: 9,
  examples: Array(50).fill("some/long/path/of/a/file"),
  reason: "no",
} as const;
const made = (source: string): SnapshotAnswer => ({
  source,
  snapshot: snapshotOf(1, { owners: Array(32).fill({ uid: 1000, gid: 1000 }) }),
  unchanged: false,
  losses: [],
  unreadable: [],
});

describe("terminationMessage()", () => {
  test("is the result itself when that fits", () => {
    const result: Result = { ...base, answer: { delete: { deleted: 3 } } };
    expect(shortened(result)).toEqual(result);
  });

  test("gives up examples first", () => {
    const one = { ...made("a"), losses: [loss, loss, loss, loss], unreadable: ["x"] };
    const result: Result = { ...base, answer: { snapshot: { snapshots: [one] } } };
    const bare = { ...loss, examples: [] };
    expect(shortened(result)).toEqual({
      ...base,
      shortened: true,
      answer: { snapshot: { snapshots: [{ ...one, losses: [bare, bare, bare, bare], unreadable: [] }] } },
    });
  });

  test("then the engine's words, and keeps what failed and what to do", () => {
    const failure = { class: "Full", message: "m", remedy: "r", detail: `${"x".repeat(5000)}end` } as const;
    const short = shortened({ ...base, failure });
    expect(short.failure).toMatchObject({ class: "Full", message: "m", remedy: "r" });
    expect(short.failure?.detail).toMatch(/^x{253}end$/);
  });

  test("then problems, owners, and in the end what is last in lists", () => {
    const problems = Array.from({ length: 100 }, (_, i) => `${i}: ${"x".repeat(300)}`);
    const { check } = shortened({ ...base, answer: { check: { problems } } }).answer as {
      check: { problems: string[] };
    };
    expect(check.problems.map((problem) => problem.slice(0, 2))).toEqual(["0:", "1:", "2:"]);
    const snapshots = Array.from({ length: 30 }, (_, i) => made(`source-${i}`));
    const short = shortened({ ...base, answer: { snapshot: { snapshots } } }).answer as {
      snapshot: { snapshots: SnapshotAnswer[] };
    };
    expect(short.snapshot.snapshots.length).toBeGreaterThanOrEqual(5);
    expect(short.snapshot.snapshots[0]).toMatchObject({
      source: "source-0",
      snapshot: { id: "s1", root: "root1" },
    });
  });

  test("gives up examples of what is missing, then snapshots, and keeps how many are hit", () => {
    const one = {
      id: "k".repeat(64),
      identity: { username: "u", hostname: "h", path: "/p".repeat(30) },
      startedAt: "2026-01-01T00:00:00Z",
      files: 9,
      examples: Array(3).fill("p".repeat(300)),
    };
    const found = (hits: number) => ({
      problems: ["pack p is missing"],
      missing: { packs: 2, snapshots: 99, hit: Array(hits).fill(one) },
    });
    const check = {
      ...found(5),
      missing: { ...found(5).missing, hit: Array(5).fill({ ...one, examples: [] }) },
    };
    expect(shortened({ ...base, answer: { check: found(5) } }).answer).toEqual({ check });
    expect(shortened({ ...base, answer: { maintain: { check: found(5) } } }).answer).toEqual({
      maintain: { check },
    });
    const { answer } = shortened({ ...base, answer: { check: found(20) } });
    expect(answer).toMatchObject({ check: { missing: { packs: 2, snapshots: 99, hit: { length: 10 } } } });
  });

  const KINDS = ["Owner", "Mode", "Time", "Acl", "HardLink", "Fifo", "Device", "Socket", "Name"] as const;
  const losses = KINDS.map((kind) => ({ ...loss, kind, reason: "why ".repeat(50) }));
  const tags = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`tag-${i}`, "v".repeat(60)]));

  test("gives up tags, and keeps what of everything was lost, and how much", () => {
    const restore = {
      snapshot: snapshotOf(1, { tags }),
      files: 1,
      bytes: 1,
      fidelity: "Full",
      losses,
    } as const;
    const { answer } = shortened({ ...base, answer: { restore } });
    expect(answer).toMatchObject({
      restore: { snapshot: { tags: {} }, losses: KINDS.map((kind) => ({ kind, count: 9 })) },
    });
  });

  test("leaves no snapshot out of a list for the sake of tags and reasons", () => {
    const one = { ...made("a"), snapshot: snapshotOf(1, { tags }), losses: losses.slice(0, 3) };
    const snapshots = Array.from({ length: 8 }, () => one);
    const { answer } = shortened({
      ...base,
      warnings: ["w".repeat(500)],
      answer: { snapshot: { snapshots } },
    });
    const counts = KINDS.slice(0, 3).map((kind) => ({ kind, count: 9 }));
    expect(answer).toMatchObject({ snapshot: { snapshots: Array(8).fill({ losses: counts }) } });
  });

  test("gives up warnings before it leaves a snapshot out of a list", () => {
    const snapshots = Array.from({ length: 5 }, (_, i) => made(`source-${i}`));
    const warnings = ["w".repeat(3500)];
    const short = shortened({ ...base, warnings, answer: { snapshot: { snapshots } } });
    expect(short.warnings).toBeUndefined();
    expect(short.answer).toMatchObject({ snapshot: { snapshots: { length: 5 } } });
  });

  test("gives up the sizes of what a list does not hold before anything of the list", () => {
    const snapshots = Array.from({ length: 3 }, (_, i) => snapshotOf(i));
    const older = Array.from({ length: 500 }, (_, i) => [1_700_000_000 + i, 12345] as const);
    const catalog = { stats: { snapshots: 503, storedBytes: 1 }, found: 503, snapshots, older };
    const short = shortened({ ...base, answer: { catalog } });
    expect(short).toMatchObject({ shortened: true, answer: { catalog: { found: 503, snapshots } } });
    expect(short.answer).not.toHaveProperty("catalog.older");
  });

  test("fits whatever it is given, is JSON, and keeps the class", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    const snapshot = fc
      .record({ tags: fc.dictionary(text, text), id: text, root: text })
      .map((more) => snapshotOf(1, more));
    const losses = fc.array(
      fc.record({ examples: fc.array(text), reason: text }).map((more) => ({ ...loss, ...more })),
    );
    const answer: fc.Arbitrary<Answer> = fc.oneof(
      fc.array(text).map((problems) => ({ check: { problems } })),
      fc.array(text).map((problems) => ({ verify: { problems } })),
      fc.array(snapshot).map((snapshots) => ({
        catalog: { stats: { snapshots: 1, storedBytes: 1 }, found: 1, snapshots },
      })),
      fc.record({ snapshot, losses }).map((more) => ({
        restore: { files: 1, bytes: 1, fidelity: "Full" as const, ...more },
      })),
      fc
        .array(fc.record({ snapshot, losses, source: text, unreadable: fc.array(text) }))
        .map((snapshots) => ({
          snapshot: { snapshots: snapshots.map((one) => ({ ...one, unchanged: false })) },
        })),
    );
    const failure = fc
      .record({ message: text, remedy: text, detail: text })
      .map((more) => ({ class: "Full" as const, ...more }));
    fc.assert(
      fc.property(fc.record({ answer, failure, run: text }), (more) => {
        const message = terminationMessage({ ...base, ...more });
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(TERMINATION_LIMIT);
        expect(read(message).failure?.class).toBe("Full");
      }),
      { numRuns: 50 },
    );
  });
});
