import { expect, test } from "vitest";
import { archive } from "../../../src/cli/console/archive.ts";
import { allOf } from "../../../src/cli/files/all_of.ts";
import { sightings } from "../../../src/cli/files/sightings.ts";
import { backupOf } from "../../../src/cli/testing/cli_samples.ts";
import { entryOf } from "../../../src/mover/testing/fake_engine.ts";
import { type RealSession, realSession } from "./real_session.ts";

const FILES = 40;
const names = Array.from({ length: FILES }, (_, n) => `f${n}`);

/** A folder of many small files in each of so many snapshots. */
function fill({ repository }: RealSession, snapshots: readonly string[]): void {
  for (const id of snapshots) {
    repository.folders.set(`${id}/`, [entryOf("a", "Folder"), ...names.map((name) => entryOf(name))]);
    repository.folders.set(
      `${id}/a`,
      names.map((name) => entryOf(name)),
    );
    for (const name of names)
      for (const path of [name, `a/${name}`])
        repository.files.set(`${id}/${path}`, [Buffer.from("x"), Buffer.from("")]);
  }
}

function archiveOf({ client }: RealSession) {
  const source = {
    entries: (path: string) => client.entries("s1", path),
    read: (path: string) => client.read("s1", path),
  };
  return archive(source, "", "top");
}

test("folders are downloaded and searched at once, and the session answers all of it", async () => {
  await using session = await realSession();
  fill(session, ["s1", "one", "two"]);
  const backups = ["one", "two"].map((name) => {
    const backup = backupOf("documents", name, {});
    const snapshots = backup.status?.snapshots?.map((one) => ({ ...one, kopiaSnapshotID: name, root: name }));
    return { ...backup, status: { ...backup.status, snapshots } } as typeof backup;
  });
  const [tar, again, found] = await Promise.all([
    allOf(archiveOf(session)),
    allOf(archiveOf(session)),
    sightings(backups, {
      name: "f*",
      search: (snapshot, name) => session.client.search(snapshot, { name }),
    }),
  ]);
  // Two headers and two blocks end it; each file is a header and a block.
  expect(Buffer.concat(tar).length).toBe(512 * (1 + 2 * 2 * FILES + 2));
  expect(Buffer.concat(again).equals(Buffer.concat(tar))).toBe(true);
  expect([found.length, session.refused()]).toEqual([2 * FILES, 0]);
});

test("downloads that nobody reads on leave room to look at folders", async () => {
  await using session = await realSession();
  fill(session, ["s1"]);
  const { client } = session;
  const reads = names.slice(0, 8).map((name) => client.read("s1", name)[Symbol.asyncIterator]());
  const begun = reads.slice(0, 3).map((one) => one.next());
  await Promise.all(begun);
  const waiting = reads.slice(3).map((one) => one.next());
  expect(await allOf(client.entries("s1", ""))).toHaveLength(FILES + 1);
  for (const one of reads) await one.return?.();
  await Promise.all(waiting);
  expect(session.refused()).toBe(0);
});

test("whoever stops waiting takes nobody's place", async () => {
  await using session = await realSession();
  fill(session, ["s1"]);
  const { client } = session;
  const reads = names.slice(0, 3).map((name) => client.read("s1", name)[Symbol.asyncIterator]());
  await Promise.all(reads.map((one) => one.next()));
  const gone = new AbortController();
  const left = allOf(client.read("s1", "f9", { signal: gone.signal }));
  gone.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  for (const one of reads) await one.return?.();
  expect(Buffer.concat(await allOf(client.read("s1", "f9"))).toString()).toBe("x");
});
