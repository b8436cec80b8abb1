import { describe, expect, test } from "vitest";
import { companionOf } from "./companion.ts";
import { keyOf, type Manifest, parseManifest, sortOut, toSnapshot } from "./manifest.ts";
import { formatNote } from "./note.ts";

const IDENTITY = { username: "u", hostname: "h", path: "/p" };

function printed(changes: Readonly<Record<string, unknown>> = {}): Manifest {
  const { username, hostname, path } = IDENTITY;
  const manifest = parseManifest({
    id: "1",
    source: { userName: username, host: hostname, path },
    startTime: "2026-01-01T00:00:00.5Z",
    endTime: "2026-01-01T00:00:01Z",
    description: formatNote({
      run: "r",
      fidelity: "Full",
      attributes: [],
      hardLinks: 0,
      tags: { a: "note" },
    }),
    rootEntry: { type: "d", obj: "k1", summ: { files: 2, symlinks: 1, dirs: 1, size: 10, numFailed: 0 } },
    tags: { "tag:holdfast-run": "r", "tag:a": "tag", "tag:b": "c" },
    ...changes,
  });
  return manifest ?? expect.unreachable("it was not read");
}

describe("a manifest", () => {
  test("shows the tags of users alone, and takes kopia's before the note's", () => {
    expect(printed()).toMatchObject({ run: "r", tags: { a: "tag", b: "c" }, files: 3, folders: 1 });
  });

  test("that was copied, and so lost its tags, has them from its note", () => {
    expect(printed({ tags: undefined })).toMatchObject({ run: "r", tags: { a: "note" } });
  });

  test("does not count files that vanished among those that could not be read", () => {
    const errors = [
      {
        path: "a",
        error: "unable to open file: unable to open local file: open /s/a: no such file or directory",
      },
      { path: "b", error: "unable to open file: unable to open local file: open /s/b: permission denied" },
    ];
    const manifest = printed({ rootEntry: { summ: { numFailed: 2, errors } } });
    expect(manifest.failed).toBe(1);
    expect(manifest.errors.map(({ path }) => path)).toEqual(["b"]);
    expect(toSnapshot(manifest, new Set())).toMatchObject({ failedFiles: 1, incomplete: expect.any(String) });
  });

  test("does not count folders and symlinks that vanished either, and counts any that fails otherwise", () => {
    const gone = [
      "cannot create iterator: unable to read directory: open /s/d",
      "unable to read directory: open /s/e",
      "readdirent /s/f",
      "unable to read symlink: readlink /s/l",
    ].map((words) => ({ path: words.slice(-1), error: `${words}: no such file or directory` }));
    const failed = [
      { path: "g", error: "cannot create iterator: unable to read directory: open /s/g: permission denied" },
      { path: "h", error: "unable to parse ignore file .rules: open /s/h/.rules: no such file or directory" },
      { path: "m", error: "unable to read symlink: readlink /s/m: input/output error" },
    ];
    const errors = [...gone, ...failed];
    const manifest = printed({ rootEntry: { summ: { numFailed: errors.length, errors } } });
    expect(manifest.failed).toBe(failed.length);
    expect(manifest.errors).toEqual(failed);
  });

  test("without files that its run was allowed to leave out counts them, and is complete", () => {
    const summary = (counts: object) => ({ rootEntry: { summ: counts } });
    const allowed = {
      description: formatNote({
        run: "r",
        fidelity: "Full",
        attributes: [],
        hardLinks: 0,
        skipsUnreadable: true,
      }),
    };
    const ignored = toSnapshot(printed({ ...allowed, ...summary({ numIgnoredErrors: 2 }) }), new Set());
    expect(ignored.failedFiles).toBe(2);
    expect(ignored).not.toHaveProperty("incomplete");
    // Not by whoever ran it: somebody else's policy ignored them.
    expect(toSnapshot(printed(summary({ numIgnoredErrors: 2 })), new Set())).toMatchObject({
      failedFiles: 2,
      incomplete: "2 files or folders could not be read",
    });
    const failed = summary({ numFailed: 1, numIgnoredErrors: 2 });
    expect(toSnapshot(printed({ ...allowed, ...failed }), new Set())).toMatchObject({
      failedFiles: 3,
      incomplete: "1 files or folders could not be read",
    });
  });

  test("without files that the storage did not take is not complete, whatever its run was allowed", () => {
    const note = { run: "r", fidelity: "Full", attributes: [], hardLinks: 0, skipsUnreadable: true } as const;
    const denied = { path: "a", error: "unable to open file: open /s/a: permission denied" };
    const refused = {
      path: "b",
      error: "unable to get result: unable to write content chunk 1 of FILE:b: unable to write pack",
    };
    const summ = { numIgnoredErrors: 2, errors: [denied, refused] };
    const manifest = printed({ description: formatNote(note), rootEntry: { summ } });
    expect(toSnapshot(manifest, new Set()).incomplete).toBe("2 files or folders could not be stored");
    const named = { path: "b", error: "unable to open file: open /s/unable to write content chunk: denied" };
    const odd = printed({
      description: formatNote(note),
      rootEntry: { summ: { ...summ, errors: [denied, named] } },
    });
    expect(toSnapshot(odd, new Set())).not.toHaveProperty("incomplete");
  });

  test("is full with its companion, and degraded without", () => {
    const manifest = printed();
    expect(toSnapshot(manifest, new Set([keyOf(manifest)])).fidelity).toBe("Full");
    expect(toSnapshot(manifest, new Set()).fidelity).toBe("Degraded");
    expect(toSnapshot(printed({ description: "" }), new Set()).fidelity).toBe("Engine");
  });

  test("says what it will not bring back without a companion", () => {
    const note = { run: "r", attributes: [], hardLinks: 0, beyond: { Fifo: 2 } } as const;
    const of = (fidelity: "Full" | "Engine") => printed({ description: formatNote({ ...note, fidelity }) });
    expect(toSnapshot(of("Engine"), new Set()).lost).toEqual({ Fifo: 2 });
    expect(toSnapshot(of("Full"), new Set()).lost).toEqual({ Fifo: 2 });
    expect(toSnapshot(of("Full"), new Set([keyOf(of("Full"))]))).not.toHaveProperty("lost");
    expect(toSnapshot(printed(), new Set())).not.toHaveProperty("lost");
  });

  test("is pinned when kopia names a pin of it", () => {
    expect(toSnapshot(printed({ pins: ["audit"] }), new Set()).pinned).toBe(true);
    for (const pins of [undefined, null, []])
      expect(toSnapshot(printed({ pins }), new Set())).not.toHaveProperty("pinned");
  });

  test("is none when it is something else", () => {
    for (const value of [null, [], {}, { id: 1 }, "x"]) expect(parseManifest(value)).toBeUndefined();
  });
});

test("sortOut() puts companions apart and data in the order of their times, whatever their digits", () => {
  const { username, hostname, path } = companionOf(IDENTITY);
  const companion = printed({ source: { userName: username, host: hostname, path } });
  const later = printed({ id: "2", startTime: "2026-01-01T00:00:00.51Z" });
  const { data, companions } = sortOut([later, companion, printed()]);
  expect(data.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(companions.get(keyOf(later))).toBe(companion);
});
