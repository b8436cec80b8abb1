import { expect, test } from "vitest";
import { deletionDoubt, lackOf } from "./deletion_doubt.ts";

const whole = { enableFileDeletion: true };
const EMPTY = "the snapshot is empty, and every file of the volume would be deleted";

test.each([
  ["an empty snapshot", whole, 0, 100, EMPTY],
  ["an empty snapshot over a volume without a backup", whole, 0, undefined, EMPTY],
  ["an empty snapshot into the root", { ...whole, path: "/", targetPath: "/" }, 0, 100, EMPTY],
  [
    "one that is far smaller",
    whole,
    49,
    100,
    "the snapshot holds 49 bytes, and the last backups of the volume 100: most of its files would be deleted",
  ],
  ["one that is a little smaller", whole, 50, 100, undefined],
  ["one of unknown size", whole, undefined, 100, undefined],
  ["one folder", { ...whole, path: "letters" }, 0, 100, undefined],
  [
    "one folder into the root",
    { ...whole, path: "letters", targetPath: "/" },
    100,
    100,
    "everything in the volume but the content of letters would be deleted",
  ],
  ["one folder into another", { ...whole, path: "letters", targetPath: "rescued" }, 0, 100, undefined],
  ["everything into one folder", { ...whole, targetPath: "rescued" }, 0, 100, undefined],
  ["nothing that is deleted", { enableFileDeletion: false }, 0, 100, undefined],
])("%s", (_, options, snapshotBytes, targetBytes, doubt) => {
  expect(deletionDoubt({ options, snapshotBytes, targetBytes })).toBe(doubt);
});

test.each([
  [whole, true],
  [{ ...whole, path: "letters" }, true],
  [{ enableFileDeletion: false }, false],
])("%j by a snapshot that lacks files of its volume", (options, isDoubted) => {
  const doubt = deletionDoubt({ options, snapshotBytes: 100, lacks: "2 files", targetBytes: 100 });
  const why =
    "the snapshot does not hold all of its volume (2 files): what it lacks would be deleted from the target";
  expect(doubt).toBe(isDoubted ? why : undefined);
});

test.each([
  [{}, undefined],
  [{ failedFiles: 0 }, undefined],
  [{ failedFiles: 2 }, "2 could not be read when it was made"],
  [{ failedFiles: 2, incomplete: "nothing could be read" }, "nothing could be read"],
])("a snapshot with %j lacks: %s", (snapshot, lacks) => {
  expect(lackOf(snapshot)).toBe(lacks);
});
