import { describe, expect, test } from "vitest";
import { FakeRepository, snapshotOf } from "../testing/fake_engine.ts";
import { findReferenced, referenced } from "./referenced.ts";

const identity = (path: string) => ({ username: "u", hostname: "h", path });
const moved = snapshotOf(1, { id: "new", run: "r", root: "k", identity: identity("/a") });
const twin = snapshotOf(2, { id: "twin", run: "r", root: "k", identity: identity("/b") });
const other = snapshotOf(3, { id: "other", run: "r2", root: "k" });

describe("referenced()", () => {
  test.each([
    ["by its ID", [moved, twin], { id: "twin", run: "r", root: "k" }, "twin"],
    ["by its ID alone", [other], { id: "other" }, "other"],
    ["by run and root when the ID has changed", [other, moved], { id: "old", run: "r", root: "k" }, "new"],
    [
      "by run and identity when its root is not known",
      [moved, twin],
      { id: "old", run: "r", identity: identity("/b") },
      "twin",
    ],
    [
      "not when the run made two of one identity that differ",
      [moved, { ...moved, id: "newer", root: "k2" }],
      { id: "old", run: "r", identity: identity("/a") },
      undefined,
    ],
    ["not by the root alone", [other, moved], { id: "old", root: "k" }, undefined],
    ["not by the run alone", [moved], { id: "old", run: "r" }, undefined],
    ["not when it might be one of two sources", [moved, twin], { id: "old", run: "r", root: "k" }, undefined],
    [
      "by the identity among two sources",
      [moved, twin],
      { id: "old", run: "r", root: "k", identity: identity("/b") },
      "twin",
    ],
    [
      "not as another source's",
      [moved],
      { id: "old", run: "r", root: "k", identity: identity("/b") },
      undefined,
    ],
  ])("finds a snapshot %s", (_, snapshots, reference, id) => {
    expect(referenced(snapshots, reference)?.id).toBe(id);
  });
});

test("findReferenced() says what is missing", async () => {
  const repository = new FakeRepository();
  repository.snapshots = [other];
  const { signal } = new AbortController();
  await expect(findReferenced(repository, { id: "x" }, signal)).rejects.toMatchObject({
    class: "SnapshotMissing",
    message: "the repository has no snapshot x",
  });
  await expect(findReferenced(repository, { id: "x", run: "r" }, signal)).rejects.toMatchObject({
    message: "the repository has no snapshot x, and none of the run r with its content",
  });
});
