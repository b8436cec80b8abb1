import { expect, test } from "vitest";
import { deletionDoubt } from "./deletion_doubt.ts";

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
  ["everything into one folder", { ...whole, targetPath: "rescued" }, 0, 100, undefined],
  ["nothing that is deleted", { enableFileDeletion: false }, 0, 100, undefined],
])("%s", (_, options, snapshotBytes, targetBytes, doubt) => {
  expect(deletionDoubt({ options, snapshotBytes, targetBytes })).toBe(doubt);
});
