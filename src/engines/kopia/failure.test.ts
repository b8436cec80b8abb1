import { describe, expect, test } from "vitest";
import type { ErrorClass } from "../../wire/error_classes.ts";
import { kopiaFailure } from "./failure.ts";

/** What kopia 0.22.3 said when each was provoked. */
const SAID: readonly (readonly [ErrorClass, "repository" | "target", string])[] = [
  ["WrongPassword", "repository", "unable to create format manager: invalid repository password"],
  ["WrongPassword", "repository", "deserialize blob config: unable to decrypt repository blobcfg blob"],
  [
    "NotARepository",
    "repository",
    "unable to read format blob: error getting kopia.repository blob: BLOB not found",
  ],
  [
    "NotARepository",
    "repository",
    "cannot open storage: cannot access storage path: stat /r: no such file or directory",
  ],
  ["ForeignData", "repository", "unable to get repository storage: found existing data in storage location"],
  [
    "Forbidden",
    "repository",
    'error retrieving storage config from bucket "b": The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  ["Forbidden", "repository", "error listing blobs: No user exists with the provided access key ID."],
  ["BucketMissing", "repository", "error listing blobs: The specified bucket does not exist."],
  ["BucketMissing", "repository", "error reading directory: error reading WebDAV dir: PROPFIND /: 404"],
  [
    "Forbidden",
    "repository",
    "error getting sharding parameters: ReadStream .shards: Authorize .shards: 401",
  ],
  [
    "EngineMissing",
    "repository",
    'unable to start rclone: exec: "rclone": executable file not found in $PATH',
  ],
  [
    "Unreachable",
    "repository",
    'Get "http://127.0.0.1:1/b/?location=": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  ["Unreachable", "repository", "dial tcp: lookup nohost.invalid: no such host"],
  [
    "Full",
    "repository",
    "flush error: can't write temporary file: write /r/p/1.f.tmp: no space left on device",
  ],
  ["ReadOnly", "repository", "cannot create directory: mkdir /r/s/73e: read-only file system"],
  [
    "Corrupt",
    "target",
    "copy file: error creating file: unable to open snapshot file for /t/a: unexpected content error: invalid checksum at p7e offset 403 length 500/500: decrypt: unable to decrypt content: cipher: message authentication failed",
  ],
  [
    "Corrupt",
    "target",
    'error getting cached content from blob "p7": failed to get blob with ID p7: BLOB not found',
  ],
  ["Corrupt", "repository", "can't parse format blob: invalid format blob: invalid character 'g'"],
  [
    "TargetFull",
    "target",
    'copy file: error creating file: cannot write data to file "/t/x": no space left on device',
  ],
  ["PathMissing", "target", "unable to get filesystem entry: error reading directory: entry not found"],
  [
    "PrivilegesNeeded",
    "target",
    "could not change owner/group for /t/x: chown /t/x: operation not permitted",
  ],
  ["EngineFailed", "repository", "something that nobody has seen before"],
];

describe("kopiaFailure", () => {
  test.each(SAID)("takes for %s (%s): %s", (errorClass, context, words) => {
    const error = kopiaFailure("restoring", { code: 1, signal: null, words }, context);
    expect(error.class).toBe(errorClass);
    expect(error.message).toMatch(/^restoring: /);
    expect(error.detail).toBe(words);
  });

  test("takes a kill from outside for a lack of memory", () => {
    expect(kopiaFailure("x", { code: null, signal: "SIGKILL", words: "" }).class).toBe("OutOfMemory");
  });
});
