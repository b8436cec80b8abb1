import { describe, expect, test } from "vitest";
import type { Work, WorkSpec } from "../wire/work.ts";
import { realLayout, realPaths, realSpec } from "./path_map.ts";

const map = JSON.stringify({
  "/holdfast/work": "/host/w",
  "/holdfast/volumes/data/": "/host/data",
  "/holdfast/volumes/data/inner": "/host/inner",
  "/tmp": "/host/tmp",
});
const real = realPaths(map);

describe("realPaths()", () => {
  test.each([
    ["/holdfast/work/work.json", "/host/w/work.json"],
    ["/holdfast/volumes/data", "/host/data"],
    ["/holdfast/volumes/data/a/b", "/host/data/a/b"],
    ["/holdfast/volumes/data/inner/x", "/host/inner/x"],
    ["/holdfast/volumes/database", "/holdfast/volumes/database"],
    ["/elsewhere", "/elsewhere"],
  ])("leads %s to %s", (path, expected) => {
    expect(real(path)).toBe(expected);
  });

  test("leaves everything in its place without a map", () => {
    expect(realPaths(undefined)("/a/b")).toBe("/a/b");
    expect(realPaths("")("/a/b")).toBe("/a/b");
  });

  test.each(["{", "[]", '{"/a":1}', "null"])("refuses %s", (json) => {
    expect(() => realPaths(json)).toThrow("HOLDFAST_PATH_MAP is not a JSON object of paths");
  });
});

test("realLayout() translates every place", () => {
  expect(realLayout(real)).toMatchObject({
    work: "/host/w/work.json",
    scratch: "/host/tmp",
    cache: "/holdfast/cache",
  });
});

describe("realSpec()", () => {
  const at = realPaths('{"/p":"/real"}');
  const backend = { filesystem: { path: "/p/repository" } };
  const spec = (work: Work, engine: WorkSpec["engine"] = "kopia"): WorkSpec => ({
    version: 1,
    run: "r",
    engine,
    repository: { backend },
    work,
  });
  const source = { name: "n", path: "/p/data", identity: { username: "u", hostname: "h", path: "/p/data" } };

  test("translates the repository, and leaves other storage alone", () => {
    const copy = { copy: { destination: { backend: { sftp: { host: "h", user: "u", path: "/p/x" } } } } };
    expect(realSpec(spec(copy), at)).toMatchObject({
      repository: { backend: { filesystem: { path: "/real/repository" } } },
      work: copy,
    });
  });

  test.each([
    [
      { restore: { snapshot: { id: "s" }, target: "/p/t", path: "p" } },
      { restore: { snapshot: { id: "s" }, target: "/real/t", path: "p" } },
    ],
    [
      { copy: { destination: { backend } } },
      { copy: { destination: { backend: { filesystem: { path: "/real/repository" } } } } },
    ],
    [
      { session: { listen: { tls: { port: 1, folder: "/p/k" } } } },
      { session: { listen: { tls: { port: 1, folder: "/real/k" } } } },
    ],
    [{ check: {} }, { check: {} }],
  ] satisfies [Work, Work][])("translates %j", (work, expected) => {
    expect(realSpec(spec(work), at).work).toEqual(expected);
  });

  test("keeps the identity where the engine can record another path", () => {
    expect(realSpec(spec({ snapshot: { sources: [source] } }), at).work).toEqual({
      snapshot: { sources: [{ ...source, path: "/real/data" }] },
    });
  });

  test("lets the identity follow the source where the engine cannot", () => {
    const { work } = realSpec(spec({ snapshot: { sources: [source] } }, "restic"), at);
    expect(work).toMatchObject({
      snapshot: { sources: [{ path: "/real/data", identity: { path: "/real/data" } }] },
    });
    const other = { ...source, identity: { ...source.identity, path: "/other" } };
    expect(realSpec(spec({ snapshot: { sources: [other] } }, "restic"), at).work).toMatchObject({
      snapshot: { sources: [{ identity: { path: "/other" } }] },
    });
  });
});
