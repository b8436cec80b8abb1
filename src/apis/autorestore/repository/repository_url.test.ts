import { expect, test } from "vitest";
import { backendOf } from "./repository_violations.ts";

test.each([
  ["rest:https://user:secret@host/", "Use s3:, b2:, azure:, gs:, sftp:, rclone: or an absolute path"],
  ["s3:bucket", "Write it as s3:host/bucket/path"],
  ["azure:box:/p", "AZURE_ACCOUNT_NAME"],
  ["/restic", "volume.claimName"],
  ["nonsense", "Use s3:"],
])("a repository at %s is refused, without repeating what may be secret", (repository, fix) => {
  const result = backendOf({ repository }, "spec");
  expect(result).toMatchObject({ ok: false, error: { fix: expect.stringContaining(fix) } });
  expect(JSON.stringify(result)).not.toContain("secret");
});
