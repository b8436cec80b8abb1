import { describe, expect, test } from "vitest";
import { bucketNameProblem, hasBuckets, type NamedStorage } from "./bucket_name.ts";

const long = (length: number) => "a".repeat(length);

describe("bucketNameProblem()", () => {
  test.each<[NamedStorage, string]>([
    ["s3", "abc"],
    ["s3", "my-backups.example.com"],
    ["s3", "Old_Bucket"],
    ["s3", long(63)],
    ["gcs", "my_backups-1.example.com"],
    ["azure", "backups-1"],
    ["azure", "$root"],
    ["b2", "My-Backups"],
  ])("%s takes %s", (storage, name) => {
    expect(bucketNameProblem(storage, name)).toBeUndefined();
  });

  test.each<[NamedStorage, string, string]>([
    ["s3", "ab", "a name has 3 to 63 characters there, and this one has 2"],
    ["s3", long(64), "and this one has 64"],
    ["s3", "-abc", "with a letter or digit first and last"],
    ["s3", "a/b/c", "letters, digits, dots, hyphens and underscores"],
    ["s3", "192.168.1.1", "it is an IP address"],
    ["s3", "a..b", "dots and hyphens stand beside each other"],
    ["gcs", "ab", "3 to 222"],
    ["gcs", "My-Backups", "small letters"],
    ["gcs", "googbackups", "names of Google are reserved"],
    ["gcs", `${long(64)}.com`, "longer than 63 characters"],
    ["azure", "ab", "3 to 63"],
    ["azure", "my--backups", "single hyphens"],
    ["azure", "Backups", "small letters"],
    ["b2", "short", "6 to 63 characters there, and this one has 5"],
    ["b2", "my_backups", "letters, digits and hyphens"],
    ["b2", "b2-backups", "reserved"],
  ])("%s refuses %s", (storage, name, why) => {
    expect(bucketNameProblem(storage, name)).toContain(why);
  });

  test("not every kind of storage has buckets", () => {
    expect(["s3", "azure", "gcs", "b2", "sftp", "filesystem", "webDav", "rclone"].filter(hasBuckets)).toEqual(
      ["s3", "azure", "gcs", "b2"],
    );
  });
});
