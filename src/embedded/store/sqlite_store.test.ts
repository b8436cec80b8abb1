import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { openSqliteStore, StateFolderError } from "./sqlite_store.ts";
import type { Stored } from "./store.ts";
import { valueOfRound } from "./testing/round.ts";
import { sample, sampleKey } from "./testing/sample.ts";
import { storeSuite } from "./testing/store_suite.ts";

const clock = new VirtualClock();
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

storeSuite("a store in SQLite", (options) => openSqliteStore({ ...options, folder: newFolder() }));

const a = sampleKey("a");
const b = sampleKey("b", "");

describe("a state folder", () => {
  test("is made, for its owner alone, and gives back what was written", async () => {
    const folder = join(newFolder(), "deep", "state");
    const store = openSqliteStore({ folder, clock });
    await store.put(a, sample(a, "ü \u0000 \u{1f600}"), undefined);
    const second = await store.put(b, sample(b, "2"), undefined);
    await store.delete(b, second, second.metadata.resourceVersion);
    const before = { listing: store.list("configmaps"), revision: store.revision };
    store.close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "state.sqlite")).mode & 0o777).toBe(0o600);

    const reopened = openSqliteStore({ folder, clock });
    expect({ listing: reopened.list("configmaps"), revision: reopened.revision }).toEqual(before);
    expect(reopened.changesSince(before.revision)).toEqual([]);
    expect(reopened.changesSince(before.revision - 1)).toBeUndefined();
    reopened.close();
  });

  test("that is in use is refused, and the message names the process", () => {
    const folder = newFolder();
    const store = openSqliteStore({ folder, clock });
    expect(() => openSqliteStore({ folder, clock })).toThrow(
      new StateFolderError(
        `the state folder ${folder} is in use by process ${process.pid}: stop that first, or choose another folder`,
      ),
    );
    store.close();
    openSqliteStore({ folder, clock }).close();
  });

  test.each([
    [
      7,
      /written by a newer version .*its state has version 7, this program reads 1.*start the version that wrote it/,
    ],
    [-1, /written by an older version .*take your objects out with kubectl, or choose another folder/],
  ])("of state version %i is refused, and left as it was", (version, message) => {
    const folder = newFolder();
    openSqliteStore({ folder, clock }).close();
    setVersion(folder, version);
    expect(() => openSqliteStore({ folder, clock })).toThrow(StateFolderError);
    expect(() => openSqliteStore({ folder, clock })).toThrow(message);
    setVersion(folder, 1);
    openSqliteStore({ folder, clock }).close();
  });

  test("with a file that is no database is refused", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "state.sqlite"), "not what it seems to be".repeat(1000));
    expect(() => openSqliteStore({ folder, clock })).toThrow(/damaged state\.sqlite: put a copy of it back/);
  });

  test("with a database that was cut short is refused, and not held", async () => {
    const folder = newFolder();
    const store = openSqliteStore({ folder, clock });
    await store.put(a, sample(a, "long ".repeat(20_000)), undefined);
    store.close();
    truncateSync(join(folder, "state.sqlite"), 16_384);
    expect(() => openSqliteStore({ folder, clock })).toThrow(/damaged/);
    expect(() => openSqliteStore({ folder, clock })).toThrow(/damaged/);
  });

  test("that cannot be made is refused with the reason", () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    expect(() => openSqliteStore({ folder: join(file, "state"), clock })).toThrow(/cannot be used: ENOTDIR/);
  });
});

function setVersion(folder: string, version: number): void {
  const database = new DatabaseSync(join(folder, "state.sqlite"));
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

const program = (name: string) => join(import.meta.dirname, "testing", name);

describe("a full disk", () => {
  // A small file system of its own, which ends with the process.
  const onSmallDisk = [
    "--mount",
    "--map-root-user",
    "sh",
    "-ec",
    'mount -t tmpfs -o size=1m none "$0"; exec "$@"',
  ];
  const mountable = spawnSync("unshare", [...onSmallDisk, tmpdir(), "true"]).status === 0;

  test.skipIf(!mountable)(
    "fails writes with a sentence; none is half there, and later ones work again",
    () => {
      const disk = newFolder();
      const run = spawnSync(
        "unshare",
        [...onSmallDisk, disk, process.execPath, program("full_disk.ts"), disk],
        {
          encoding: "utf8",
        },
      );
      expect(run.stderr).toBe("");
      const { acknowledged, errors, meanwhile, reopened, after } = JSON.parse(run.stdout);
      expect(errors.length).toBeGreaterThan(0);
      expect(new Set(errors)).toEqual(
        new Set([
          `JournalError: the disk of the state folder ${join(disk, "state")} is full: nothing was written; free some space and try again`,
        ]),
      );
      expect(meanwhile).toHaveLength(1 + acknowledged);
      expect(reopened).toEqual(meanwhile);
      expect(after).toEqual(["after", ...meanwhile]);
    },
  );
});

const ROUNDS = process.env.HOLDFAST_LONG ? 100 : 10;

test(
  `kill -9 during a write storm, ${ROUNDS} times, loses nothing that was acknowledged`,
  async () => {
    const folder = newFolder();
    let known = new Map<string, Acknowledged>();
    let writes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const acknowledged = await writeUntilKilled(folder, 1 + Math.floor(systemRandom.next() * 600));
      writes += acknowledged.length;
      for (const write of acknowledged) known.set(write.name, write);
      const store = openSqliteStore({ folder, clock });
      const newest = Math.max(...acknowledged.map((write) => write.revision));
      expect(store.revision).toBeGreaterThanOrEqual(newest);
      for (const write of known.values()) expectKept(write, store.get(sampleKey(write.name)));
      known = new Map(
        store.list("configmaps").objects.map((object) => [object.metadata.name, asWritten(object)]),
      );
      store.close();
    }
    expect(writes).toBeGreaterThan(ROUNDS);
  },
  ROUNDS * 30_000,
);

interface Acknowledged {
  readonly name: string;
  readonly revision: number;
  /** "-" for a deletion. */
  readonly value: string;
}

/** Kills the writer at whatever it is doing when it has acknowledged `count` writes. */
async function writeUntilKilled(folder: string, count: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [program("crash_writer.ts"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let lines = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    lines += text.split("\n").length - 1;
    if (lines >= count) child.kill("SIGKILL");
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");
  const whole = output.slice(0, output.lastIndexOf("\n")).split("\n");
  return whole.map((line) => {
    const [, name = "", revision, value = ""] = /^(\S+) (\d+) (.*)$/.exec(line) ?? [];
    return { name, revision: Number(revision), value };
  });
}

/** The acknowledged state, or the one that the writer was about to be told of. */
function expectKept(write: Acknowledged, object: Stored | undefined): void {
  if (!object) {
    const mayBeGone = write.value === "-" || roundOf(write.value) % 5 === 3;
    expect(mayBeGone, `${write.name} is lost`).toBe(true);
    return;
  }
  const found = asWritten(object);
  expect(found.value).toBe(valueOfRound(roundOf(found.value)));
  if (found.revision !== write.revision) expect(found.revision).toBeGreaterThan(write.revision);
  else expect(found.value).toBe(write.value);
}

function asWritten(object: Stored): Acknowledged {
  const { name, resourceVersion } = object.metadata;
  return { name, revision: Number(resourceVersion), value: (object.data as { value: string }).value };
}

function roundOf(value: string): number {
  return Number.parseInt(value, 10);
}
