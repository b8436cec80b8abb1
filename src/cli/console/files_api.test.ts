import { describe, expect, test } from "vitest";
import { SessionClient } from "../../core/work/session/session_client.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import type { Resource } from "../../kube/resource.ts";
import type { HttpSender } from "../../lib/http.ts";
import { allOf } from "../files/all_of.ts";
import type { Call } from "../frame/command.ts";
import { Given } from "../frame/given.ts";
import { backupOf } from "../testing/cli_samples.ts";
import { fileVersions } from "./file_versions.ts";
import { fileArchive, fileContent, filePath } from "./files_api.ts";
import type { RepositorySessions } from "./repository_sessions.ts";

describe("a path", () => {
  test.each([
    [undefined, ""],
    ["/", ""],
    ["a/./b//c/", "a/b/c"],
    ["...", "..."],
    ["a..b", "a..b"],
  ])("%j is %j", (path, clean) => {
    expect(filePath(path)).toBe(clean);
  });

  test.each(["..", "../etc/passwd", "a/../../b", "a/..", "/..", "a\0b"])(
    "%j leads out, and is refused",
    (path) => {
      expect(() => filePath(path)).toThrow("leads out of the backup");
    },
  );
});

const backup = backupOf("documents", "monday", {
  resolved: { repository: { kind: "Repository", namespace: "home", name: "store", uniqueID: "u" } },
});

/** A session with one folder that holds one file. */
function rig() {
  const leased = { now: 0 };
  const sender: HttpSender = {
    close() {},
    send: async ({ path }) => {
      const at = new URL(path, "http://session").searchParams.get("path");
      const file = { name: "a.txt", type: "File", size: 5, mode: 0o644, modifiedAt: "2026-05-24T03:00:00Z" };
      const folder = { ...file, name: "f", type: "Folder" };
      const answer = path.includes("/file?")
        ? "hello"
        : JSON.stringify(path.includes("/entries?") ? { items: [file] } : at === "f" ? folder : file);
      return {
        status: 200,
        headers: {},
        body: (async function* () {
          for (const letter of answer) yield Buffer.from(letter);
        })(),
      };
    },
  };
  const sessions = {
    lease: async () => {
      leased.now++;
      let given = false;
      return {
        client: new SessionClient(sender),
        failed() {},
        [Symbol.dispose]: () => {
          if (!given) leased.now--;
          given = true;
        },
      };
    },
  } as unknown as RepositorySessions;
  const gone = new AbortController();
  const client = {
    get: async (resource: Resource) =>
      (resource as unknown) === backupResource ? backup : { kind: "Repository", metadata: { name: "store" } },
  };
  const call = {
    given: new Given([], { namespace: "home" }),
    signal: gone.signal,
    cluster: async () => ({ client, namespace: "home" }),
    progress: { line() {} },
  } as unknown as Call;
  return { call, sessions, leased, gone };
}

test("a session is in use as long as a file is read", async () => {
  const { call, sessions, leased } = rig();
  const bytes = await fileContent(call, sessions, { backup: "monday", path: "a.txt", preview: false });
  expect(leased.now).toBe(1);
  expect(Buffer.concat(await allOf(bytes)).toString()).toBe("hello");
  expect(leased.now).toBe(0);
});

test("a session is given back when nobody reads on, and when nobody began to", async () => {
  const { call, sessions, leased, gone } = rig();
  for await (const _ of await fileContent(call, sessions, {
    backup: "monday",
    path: "a.txt",
    preview: false,
  }))
    break;
  expect(leased.now).toBe(0);
  await fileContent(call, sessions, { backup: "monday", path: "a.txt", preview: false });
  expect(leased.now).toBe(1);
  gone.abort();
  expect(leased.now).toBe(0);
});

test("a folder is no file, and a file no folder; then the session is given back", async () => {
  const { call, sessions, leased } = rig();
  await expect(fileContent(call, sessions, { backup: "monday", path: "f", preview: true })).rejects.toThrow(
    "f is no file",
  );
  await expect(fileArchive(call, sessions, { backup: "monday", path: "a.txt", name: "a" })).rejects.toThrow(
    "a.txt is no folder",
  );
  expect(leased.now).toBe(0);
});

test("the forms of a file are told newest first, with the Backups that hold each", async () => {
  const asked: string[] = [];
  const held = [
    { name: "c", root: "r2" },
    { name: "b", root: "r1" },
    { name: "a", root: "r1" },
  ].map(({ name, root }) => {
    const at = { startTime: `2026-05-2${name.charCodeAt(0) - 96}T00:00:00Z` };
    const one = backupOf("documents", name, { timing: at });
    const [snapshot] = one.status?.snapshots ?? [];
    if (!snapshot) throw new Error("it has a snapshot");
    return { backup: one, snapshot: { ...snapshot, root } };
  });
  const versions = await fileVersions({
    held,
    entry: async (id) => {
      asked.push(id);
      const size = id === "id-c" ? 7 : 5;
      return { name: "a.txt", type: "File", size, mode: 0o644, modifiedAt: `2026-05-0${size}T00:00:00Z` };
    },
  });
  // Snapshots of equal content are asked once.
  expect(asked).toEqual(["id-c", "id-b"]);
  expect(versions.map((one) => [one.size, one.in.map(({ backup: name }) => name)])).toEqual([
    [7, ["c"]],
    [5, ["b", "a"]],
  ]);
});
