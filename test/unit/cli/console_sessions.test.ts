import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archive } from "../../../src/cli/console/archive.ts";
import type { FileSearch } from "../../../src/cli/console/contract.ts";
import { MOST_FOUND } from "../../../src/cli/console/files_api.ts";
import { allOf } from "../../../src/cli/files/all_of.ts";
import { sightings } from "../../../src/cli/files/sightings.ts";
import { backupOf } from "../../../src/cli/testing/cli_samples.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../src/kinds/kopiur/generated/repository.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { entryOf } from "../../../src/mover/testing/fake_engine.ts";
import { type Browser, ConsoleGround } from "./console_ground.ts";
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

describe("the console's server", () => {
  let ground: ConsoleGround;
  let session: RealSession;
  let browser: Browser;
  const of = "namespace=default&backup=good";

  async function put(resource: Resource, name: string, spec: object, status: object): Promise<void> {
    const { client } = ground.ground;
    const draft = { metadata: { namespace: "default", name }, spec } as Draft<KubeObject>;
    const { metadata } = await client.create(resource, draft);
    await client.patch(
      resource,
      metadata,
      { type: "merge", patch: { status } as object },
      { subresource: "status" },
    );
  }

  beforeAll(async () => {
    session = await realSession();
    fill(session, ["s1"]);
    const many = Array.from({ length: MOST_FOUND + 1 }, (_, n) => entryOf(`m${n}`));
    session.repository.folders.set("s2/", many);
    ground = await ConsoleGround.open({ openSession: async () => session });
    const encryption = { passwordSecretRef: { name: "store", key: "KOPIA_PASSWORD" } };
    const backend = { filesystem: { pvc: { name: "disk" } } };
    await put(repositoryResource, "store", { backend, encryption }, { phase: "Ready", uniqueID: "u" });
    const resolved = {
      repository: { kind: "Repository", namespace: "default", name: "store", uniqueID: "u" },
    };
    for (const [config, backup, id] of [
      ["data", "good", "s1"],
      ["much", "large", "s2"],
    ] as const) {
      const source = { sources: [{ pvc: { name: config } }], copyMethod: "Direct" };
      await put(
        backupConfigResource,
        config,
        { repository: { name: "store" }, ...source },
        { phase: "Ready" },
      );
      const identity = { username: config, hostname: "default", sourcePath: "/data" };
      const snapshots = [{ kopiaSnapshotID: id, pvc: `default/${config}`, identity }];
      const status = { phase: "Succeeded", timing: { endTime: "2026-05-24T03:00:00Z" }, snapshots, resolved };
      await put(backupResource, backup, { configRef: { name: config } }, status);
    }
    browser = await ground.signedIn();
  }, 60_000);

  afterAll(async () => {
    await ground[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
  });

  test("answers downloads of a folder, searches and pages at once", async () => {
    const [tar, found, page] = await Promise.all([
      browser.ask(`/api/files/archive?${of}`).then((response) => response.arrayBuffer()),
      browser.json("/api/files/search?namespace=default&config=data&name=f1*"),
      browser.json(`/api/files/entries?${of}`),
    ]);
    expect(tar.byteLength).toBe(512 * (1 + 2 * 2 * FILES + 2));
    expect(found).toMatchObject({ cut: false });
    expect((found as FileSearch).found).toHaveLength(2 * 11);
    expect(page).toMatchObject({ items: expect.any(Array) });
    expect(session.refused()).toBe(0);
  });

  test.each([
    [`entries?${of}&path=a`, "list of a in good"],
    [`entries?${of}`, "list of the root in good"],
    [`entry?${of}&path=f1`, "look at f1 in good"],
    [`content?${of}&path=f1&preview=1`, "preview of f1 in good"],
    [`content?${of}&path=f1`, "download of f1 in good"],
    [`archive?${of}&path=a`, "download of a in good"],
    ["search?namespace=default&config=data&name=f1", "search for f1 in all of data"],
    [`versions?${of}&path=f1`, "versions of f1, from good on"],
    ["diff?namespace=default&older=good&newer=good", "comparison of everything in good and good"],
    [`content?${of}&path=a`, "download of a in good"],
  ])("leaves a line of who asked for %s", async (path, line) => {
    ground.told.length = 0;
    await (await browser.ask(`/api/files/${path}`)).arrayBuffer();
    expect(ground.told).toEqual([{ user: browser.session.user, namespace: "default", line }]);
  });

  test("tells of a search so much, and that there is more", async () => {
    const { found, cut } = (await browser.json(
      "/api/files/search?namespace=default&config=much&name=*",
    )) as FileSearch;
    expect([found.length, cut]).toEqual([MOST_FOUND, true]);
  });

  test("does a few large things at once for one person, and says so", async () => {
    const gone = new AbortController();
    const held = await Promise.all(
      [1, 2, 3, 4].map(() => browser.ask(`/api/files/archive?${of}`, { signal: gone.signal })),
    );
    expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const search = "/api/files/search?namespace=default&config=data&name=f1";
    expect(await browser.json(search, 403)).toEqual({
      message: "4 of your searches, comparisons and downloads of folders run already",
      fix: "Wait for one of them to end.",
    });
    gone.abort();
    expect(await browser.json(search)).toMatchObject({ cut: false });
  });
});
