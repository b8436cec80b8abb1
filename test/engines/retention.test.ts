import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planRetention } from "../../src/core/policy/retention.ts";
import { RETENTION_RULES, type RetentionRules } from "../../src/core/policy/retention_rules.ts";
import { Zone } from "../../src/core/policy/zone.ts";
import { pinnedProgram, SEARCH_PATH } from "../../tools/cluster/programs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NEWEST = Date.UTC(2026, 4, 24, 22, 40);

/** Several an hour, a day, a week, a month and a year, the older the fewer, around midnights, Mondays and New Year. */
const TIMES = [
  ...[0, 15, 35, 60, 120, 180].map((minutes) => NEWEST - minutes * MINUTE),
  ...[8, 15, 22, 23, 29, 40, 46, 70, 94].map((hours) => NEWEST - hours * HOUR),
  ...[6, 7, 13, 14, 20, 27, 34, 55, 90].map((days) => NEWEST - days * DAY),
  Date.UTC(2026, 0, 1, 0, 30),
  Date.UTC(2025, 11, 31, 23, 30),
  Date.UTC(2025, 11, 28, 12),
  Date.UTC(2024, 6, 1),
  Date.UTC(2023, 0, 1),
];

const RULES: readonly RetentionRules[] = [
  { keepLatest: 4 },
  { keepHourly: 3 },
  { keepDaily: 4 },
  { keepWeekly: 3 },
  { keepMonthly: 3 },
  { keepAnnual: 2 },
  { keepAnnual: 9 },
  { keepLatest: 2, keepHourly: 5, keepDaily: 3 },
  { keepDaily: 14, keepWeekly: 4 },
  { keepLatest: 3, keepHourly: 2, keepDaily: 3, keepWeekly: 2, keepMonthly: 4, keepAnnual: 3 },
];

let folder: string;
let source: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hf-"));
  source = join(folder, "source");
  mkdirSync(source);
  writeFileSync(join(source, "a"), "content");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: "kopia" | "restic", args: readonly string[], zone: string): string {
  const env = {
    PATH: SEARCH_PATH,
    HOME: folder,
    TZ: zone,
    RESTIC_REPOSITORY: join(folder, "restic"),
    RESTIC_PASSWORD: "only here",
    KOPIA_PASSWORD: "only here",
    KOPIA_CHECK_FOR_UPDATES: "false",
  };
  return execFileSync(pinnedProgram(program), args, { env, encoding: "utf8", stdio: "pipe" });
}

/** The times that stay, by our own rules. */
function kept(times: readonly number[], rules: RetentionRules, zone: string): readonly number[] {
  const snapshots = times.map((at) => ({
    id: String(at),
    at,
    origin: "scheduled" as const,
    succeeded: true,
  }));
  const verdicts = planRetention({ snapshots, rules, zone: new Zone(zone), now: NEWEST });
  return verdicts.flatMap(({ id, kept }) => (kept ? [Number(id)] : []));
}

const newestFirst = (times: Iterable<number>) => [...new Set(times)].sort((a, b) => b - a);
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());
const clock = (time: number, zone: string) =>
  new Date(new Zone(zone).wallAt(time)).toISOString().slice(0, 19).replace("T", " ");

describe("restic forget", () => {
  /** Far from UTC, so that hours, days and weeks begin elsewhere. */
  const zone = "Pacific/Auckland";
  const FLAGS = ["last", "hourly", "daily", "weekly", "monthly", "yearly"];

  beforeAll(() => {
    run("restic", ["init"], zone);
    for (const time of TIMES) {
      run("restic", ["backup", "--time", clock(time, zone), source], zone);
    }
  }, 240_000);

  test.each(RULES)("keeps by %j what we keep, and the oldest while a rule has room", (rules) => {
    const flags = RETENTION_RULES.flatMap((rule, i) => {
      const count = rules[rule];
      return count === undefined ? [] : [`--keep-${FLAGS[i]}`, String(count)];
    });
    const out = run("restic", ["forget", "--dry-run", "--json", ...flags], zone);
    const [group] = JSON.parse(out) as { keep: { time: string }[]; remove: { time: string }[] | null }[];
    const theirs = newestFirst((group?.keep ?? []).map(({ time }) => Date.parse(time)));
    expect(theirs.length + (group?.remove?.length ?? 0)).toBe(TIMES.length);
    // restic stretches a rule that is not used up to the very oldest; here adding older ones must not unkeep any.
    const verdicts = kept(TIMES, rules, zone);
    const roomy = RETENTION_RULES.some((rule) => {
      const count = rules[rule] ?? 0;
      return count > 0 && kept(TIMES, { [rule]: count }, zone).length < count;
    });
    const ours = newestFirst(roomy ? [...verdicts, Math.min(...TIMES)] : verdicts);
    expect(iso(theirs)).toEqual(iso(ours));
  });
});

describe("kopia's retention", () => {
  /** Every day has one, every hour of the last day too: kopia counts back in time, we count what is there. */
  const dense = [
    ...Array.from({ length: 5 }, (_, i) => NEWEST - i * HOUR),
    ...Array.from({ length: 18 }, (_, i) => NEWEST - (i + 1) * DAY),
  ];
  const sparse = TIMES.filter((_, i) => i % 2 === 0);
  const FLAGS = ["latest", "hourly", "daily", "weekly", "monthly", "annual"];
  const policy = (of: string, rules: RetentionRules) =>
    run(
      "kopia",
      ["policy", "set", of, ...RETENTION_RULES.map((rule, i) => `--keep-${FLAGS[i]}=${rules[rule] ?? 0}`)],
      "UTC",
    );
  const theirs = (of: string) => {
    const listed = JSON.parse(run("kopia", ["snapshot", "list", "--json", of], "UTC")) as readonly {
      readonly startTime: string;
      readonly retentionReason?: readonly string[];
    }[];
    return {
      all: listed.length,
      kept: listed.flatMap((one) => (one.retentionReason?.length ? [one.startTime] : [])),
    };
  };
  let other: string;

  beforeAll(() => {
    other = join(folder, "other");
    mkdirSync(other);
    run("kopia", ["repository", "create", "filesystem", "--path", join(folder, "kopia")], "UTC");
    for (const [of, times] of [
      [source, dense],
      [other, sparse],
    ] as const) {
      policy(of, { keepLatest: 1000 });
      for (const time of times) {
        const at = `${clock(time, "UTC")} UTC`;
        run("kopia", ["snapshot", "create", of, "--start-time", at, "--end-time", at], "UTC");
      }
    }
  }, 240_000);

  test.each([
    { keepLatest: 4 },
    { keepHourly: 4 },
    { keepDaily: 9 },
    { keepWeekly: 3 },
    { keepLatest: 2, keepHourly: 3, keepDaily: 7, keepWeekly: 3 },
  ])("keeps by %j what we keep, where every day and hour has one", (rules) => {
    policy(source, rules);
    const { all, kept: stay } = theirs(source);
    expect(all).toBe(dense.length);
    const times = newestFirst(stay.map((time) => Date.parse(time)));
    expect(iso(times)).toEqual(iso(newestFirst(kept(dense, rules, "UTC"))));
  });

  test.each(RULES.slice(-3))("keeps by %j nothing that we drop, where there are gaps", (rules) => {
    policy(other, rules);
    const { all, kept: stay } = theirs(other);
    expect(all).toBe(sparse.length);
    expect(stay.length).toBeGreaterThan(0);
    expect(iso(kept(sparse, rules, "UTC"))).toEqual(
      expect.arrayContaining(stay.map((time) => new Date(time).toISOString())),
    );
  });
});
