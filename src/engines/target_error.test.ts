import { expect, test } from "vitest";
import { targetError } from "./target_error.ts";

test.each([
  ["ENOSPC", "TargetFull"],
  ["EDQUOT", "TargetFull"],
  ["EEXIST", "TargetExists"],
  ["EACCES", "TargetNotWritable"],
  ["EPERM", "TargetNotWritable"],
  ["EROFS", "TargetNotWritable"],
  ["ENOENT", "TargetNotWritable"],
  ["EIO", "EngineFailed"],
  ["ESTALE", "EngineFailed"],
])("a target that answers %s is %s: what may pass is tried again", (code, wanted) => {
  const cause = Object.assign(new Error("the disk said so"), { code });
  expect(targetError("writing", cause)).toMatchObject({
    class: wanted,
    message: expect.stringContaining("writing"),
  });
});
