import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { blocked, waits } from "../reconcile/problem.ts";
import { NOW, snapshot } from "../testing/samples.ts";
import type { SessionRequest } from "../work/session/session_request.ts";
import { askBackupTruth, type BackupTruth, backupTruth, type KnownList } from "./backup_truth.ts";

const IDENTITY = snapshot().identity;
const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
const taken = (id: string, hours: number, more: Partial<Snapshot> = {}) =>
  snapshot({ id, startedAt: at(hours), ...more });
const OTHER = { ...IDENTITY, hostname: "shop" };
const shrunk = waits("SnapshotsMissing", "most of the list is missing");
const unreachable = waits("Unreachable", "the server does not answer");
const read = (snapshots: readonly Snapshot[], more: object = {}): KnownList => ({
  readAt: NOW - 1000,
  snapshots,
  ...more,
});
const yes = (id: string, hours: number, age = 1000) => ({
  answer: "yes",
  snapshot: { id, startedAt: at(hours) },
  age,
});
const no = { answer: "no", age: 1000 };
const unknown = (reason: string) => ({ answer: "unknown", why: { reason } });

describe("backupTruth()", () => {
  test.each<[string, KnownList, object]>([
    ["the newest of several", read([taken("a", -3), taken("c", -1), taken("b", -2)]), yes("c", -1)],
    ["none in an empty repository", read([]), no],
    ["none of somebody else's", read([taken("a", -1, { identity: OTHER })]), no],
    ["not one of another path", read([taken("a", -1, { identity: { ...IDENTITY, path: "/x" } })]), no],
    ["nobody knows, of an unreachable repository", { problem: unreachable }, unknown("Unreachable")],
    ["nobody knows, of a snapshot from the future", read([taken("a", 2)]), unknown("OnlyUnusableSnapshots")],
    ["the one of today, beside one from the future", read([taken("f", 2), taken("a", -1)]), yes("a", -1)],
    ["a clock may be ahead by a little", read([taken("a", 0.05)]), yes("a", 0.05)],
    [
      "nobody knows, of a time that is none",
      read([taken("a", -1, { startedAt: "yesterday" })]),
      unknown("OnlyUnusableSnapshots"),
    ],
    [
      "nobody knows, of leftovers alone",
      read([taken("a", -1, { incomplete: "it was cut off" })]),
      unknown("OnlyUnusableSnapshots"),
    ],
    [
      "the complete one, beside a newer leftover",
      read([taken("b", -1, { incomplete: "it was cut off" }), taken("a", -2)]),
      yes("a", -2),
    ],
    [
      "nobody knows what a list lacks that has shrunk",
      read([], { doubt: shrunk }),
      unknown("SnapshotsMissing"),
    ],
    ["what such a list holds is there", read([taken("a", -1)], { doubt: shrunk }), yes("a", -1)],
    [
      "nobody knows, of a list that is too old",
      read([], { readAt: NOW - 2 * HOUR }),
      unknown("CatalogOutdated"),
    ],
    ["also where it had one", read([taken("a", -3)], { readAt: NOW - 2 * HOUR }), unknown("CatalogOutdated")],
    ["nobody knows, of a list from the future", read([], { readAt: NOW + HOUR }), unknown("ClockSkew")],
    ["nobody knows, of a list without a time", read([], { readAt: Number.NaN }), unknown("ClockSkew")],
    ["an answer is never younger than now", read([], { readAt: NOW + 1000 }), { answer: "no", age: 0 }],
  ])("%s", (_, list, wanted) => {
    expect(backupTruth(IDENTITY, list, { now: NOW, maxAge: HOUR })).toMatchObject(wanted);
  });

  test("without a path, any of that user and host will do; without an age, whatever was read", () => {
    const { path: _, ...whoever } = IDENTITY;
    const list = read([taken("a", -30, { identity: { ...IDENTITY, path: "/x" } })], {
      readAt: NOW - 29 * HOUR,
    });
    expect(backupTruth(whoever, list, { now: NOW })).toEqual(yes("a", -30, 29 * HOUR));
  });
});

describe("askBackupTruth()", () => {
  const REQUEST = ok({} as SessionRequest);
  type Asked = Parameters<typeof askBackupTruth>[1];
  const stop = new AbortController();
  let open = 0;

  function ask(
    list: () => AsyncIterable<Snapshot>,
    { id = "id-1", ...more }: { readonly id?: string } & Partial<Asked> = {},
  ): Promise<BackupTruth> {
    const clock = new VirtualClock(NOW);
    open += 1;
    const client = {
      info: async () => ({ repository: id }),
      snapshots: list,
      close: () => {
        open -= 1;
      },
    };
    const sessions = { open: async () => client } as never;
    return askBackupTruth(
      { clock, sessions },
      { request: REQUEST, uniqueID: "id-1", ...more },
      IDENTITY,
      stop.signal,
    );
  }
  async function* two() {
    yield taken("b", -1);
    yield taken("a", -2);
  }
  async function* none() {}
  async function* breakingOff() {
    yield taken("b", -1, { identity: OTHER });
    throw new EngineError("Unreachable", "the connection was reset");
  }

  test.each<[string, () => Promise<BackupTruth>, object]>([
    ["says what the repository lists", () => ask(two), { ...yes("b", -1), age: 0 }],
    ["says no where it lists none", () => ask(none), { answer: "no", age: 0 }],
    ["knows nothing when the list breaks off", () => ask(breakingOff), unknown("Unreachable")],
    [
      "nor what is not there, while its catalogue is not believed",
      () => ask(none, { doubt: shrunk }),
      unknown("SnapshotsMissing"),
    ],
    ["nor when another repository answers", () => ask(none, { id: "id-2" }), unknown("RepositoryReplaced")],
  ])("%s", async (_, question, wanted) => {
    open = 0;
    expect(await question()).toMatchObject(wanted);
    expect(open).toBe(0);
  });

  test("nor when there can be no session", async () => {
    expect(await ask(none, { request: err(blocked("LendingOff", "no")) })).toMatchObject(
      unknown("LendingOff"),
    );
  });

  test("whoever gives up gets no answer", async () => {
    stop.abort(new Error("enough"));
    await expect(ask(breakingOff)).rejects.toThrow("enough");
  });
});
