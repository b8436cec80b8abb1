import { describe, expect, test } from "vitest";
import { type KnownBackups, knownBackups, withMissing } from "./known_backups.ts";
import { SHARDS, shardEntries, shardOf, shardTexts } from "./truth_shards.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");

type Row = readonly [user: string, startedAt: string, incomplete?: string | undefined, path?: string];

async function* listed(rows: readonly Row[]) {
  for (const [username, startedAt, incomplete, path = "/data"] of rows) {
    yield {
      identity: { username, hostname: "media", path },
      startedAt,
      ...(incomplete ? { incomplete } : {}),
    };
  }
}

const read = (...rows: readonly Row[]) => knownBackups(listed(rows), "/data", () => NOW);

describe("knownBackups()", () => {
  test("knows the newest of each identity, of our path alone", async () => {
    const known = await read(
      ["a", "2026-01-01T00:00:00Z"],
      ["a", "2026-01-01T02:00:00Z"],
      ["a", "2026-01-01T01:00:00Z"],
      ["b", "2026-01-01T00:00:00Z", undefined, "/pvc/b"],
    );
    expect([...known]).toEqual([["media/a", { newestAt: "2026-01-01T02:00:00Z" }]]);
  });

  test("does not count what is incomplete or from the future, and does not call that nothing", async () => {
    const known = await read(
      ["a", "2026-01-01T00:00:00Z", "a run failed"],
      ["b", "2027-01-01T00:00:00Z"],
      ["c", "2027-01-01T00:00:00Z"],
      ["c", "2026-01-01T00:00:00Z"],
    );
    expect([...known]).toEqual([
      ["media/a", { unusable: true }],
      ["media/b", { unusable: true }],
      ["media/c", { newestAt: "2026-01-01T00:00:00Z" }],
    ]);
  });
});

describe("withMissing()", () => {
  const before: KnownBackups = new Map([["media/a", { newestAt: "2026-01-01T00:00:00Z" }]]);
  const none: KnownBackups = new Map();

  test("doubts that a backup is gone, for a day", () => {
    const doubted = withMissing(none, before, { now: NOW, lasting: false });
    expect([...doubted]).toEqual([["media/a", { missingSince: "2026-01-02T00:00:00.000Z" }]]);
    const later = NOW + 86_400_000;
    expect([...withMissing(none, doubted, { now: later - 1, lasting: false })]).toEqual([...doubted]);
    expect([...withMissing(none, doubted, { now: later, lasting: false })]).toEqual([]);
    expect([...withMissing(none, doubted, { now: later, lasting: true })]).toEqual([...doubted]);
  });

  test("believes what the list has", () => {
    expect([...withMissing(before, before, { now: NOW, lasting: true })]).toEqual([...before]);
  });
});

describe("the shards", () => {
  test("say together what is known, each identity in its own", () => {
    const known: KnownBackups = new Map([
      ["media/a", { newestAt: "2026-01-01T00:00:00Z" }],
      ["media/b", { unusable: true }],
      ["media/c", { missingSince: "2026-01-01T00:00:00.000Z" }],
    ]);
    const texts = shardTexts(known);
    expect(texts).toHaveLength(SHARDS);
    for (const [key, value] of known) expect(shardEntries(texts[shardOf(key)] ?? "").get(key)).toEqual(value);
  });

  test.each(["media/a b", "media/a\nmedia/other 2026-01-01T00:00:00Z", "media/100%25"])(
    "say nothing of another identity where one is called %j",
    (name) => {
      const known: KnownBackups = new Map([[name, { unusable: true }]]);
      const read = new Map(shardTexts(known).flatMap((text) => [...shardEntries(text)]));
      expect([...read]).toEqual([...known]);
    },
  );

  test("refuse more than they can hold, rather than to leave something out", () => {
    const known = new Map(
      Array.from({ length: 12_000 }, (_, i) => [`${"x".repeat(1300)}/${i}`, { unusable: true }] as const),
    );
    expect(() => shardTexts(known)).toThrow(/12000 identities, which is too many/);
  });
});
