import { describe, expect, test } from "vitest";
import type { ErrorClass } from "../../wire/error_classes.ts";
import { kopiaFailure } from "./failure.ts";

/** What kopia said when each was provoked. */
const SAID: readonly (readonly [ErrorClass, "repository" | "target", string])[] = [
  ["WrongPassword", "repository", "unable to create format manager: invalid repository password"],
  ["WrongPassword", "repository", "deserialize blob config: unable to decrypt repository blobcfg blob"],
  [
    "Unsupported",
    "repository",
    "unable to read content data: LZ4 compressor is not supported in recent versions of kopia, version v0.22.3 or older is needed to read legacy repositories that use the LZ4 compressor",
  ],
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
  [
    "SourceUnreadable",
    "repository",
    'unable to process directory "": error reading placeholder for "": "/s/", "/s/.kopia-entry/.kopia-entry" exist: shallowrestore tree is corrupt probably because a previous restore into a shallow tree was interrupted',
  ],
  [
    "Corrupt",
    "repository",
    'error listing all snapshot manifests: unable to find snapshot manifests: unable to load manifest contents: error loading manifest content: error getting cached content from blob "q61-s14": failed to get blob with ID q61-s14: BLOB not found',
  ],
  ["ForeignData", "repository", "unable to get repository storage: found existing data in storage location"],
  [
    "Forbidden",
    "repository",
    'error retrieving storage config from bucket "b": The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  ["Forbidden", "repository", "error listing blobs: No user exists with the provided access key ID."],
  [
    "BucketMissing",
    "repository",
    'from bucket "ab": GetObject: Bucket name cannot be shorter than 3 characters',
  ],
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
  [
    "Unreachable",
    "repository",
    'cannot open storage: error retrieving storage config from bucket "b": unexpected EOF',
  ],
  [
    "Unreachable",
    "repository",
    "error getting kopia.repository blob: unable to complete GetBlob(kopia.repository,0,-1) despite 10 retries: unexpected EOF",
  ],
  [
    "Unreachable",
    "target",
    'copy file: error creating file: unable to open snapshot file for /t/2: unable to open object: 32: unexpected content error: error getting cached content from blob "p5": failed to get blob with ID p5: unable to complete GetBlob(p5,60,30) despite 10 retries: unexpected EOF',
  ],
  ["Unreachable", "repository", 'error writing pack file: Put "http://127.0.0.1:1/b/p/1": EOF'],
  ["Unreachable", "repository", "Put: write tcp 127.0.0.1:2->127.0.0.1:1: write: broken pipe"],
  [
    "Unreachable",
    "repository",
    "error writing pack file: unable to complete PutBlob(p1) despite 10 retries: mkdir /r/p/1: not a directory",
  ],
  [
    "Forbidden",
    "repository",
    "error writing pack file: unable to complete PutBlob(p1) despite 10 retries: mkdir /r/p/1: permission denied",
  ],
  ["Corrupt", "repository", "unable to unpack manifest data: unexpected EOF"],
  ["EngineFailed", "repository", "something that nobody has seen before"],
];

/** The same words, with names that say something else. */
const NAMES = ["corrupt", "forbidden.html", "SlowDown", "already exists", "a/malformed/unexpected EOF"];
const ABOUT_FILES: readonly (readonly [ErrorClass, "repository" | "target", (name: string) => string])[] = [
  [
    "EngineFailed",
    "target",
    (name) => `error restoring: copy file: error creating file: open /t/${name}: input/output error`,
  ],
  ["EngineFailed", "target", (name) => `copy file: cannot write data to file "/t/${name}": bad message`],
  ["EngineFailed", "repository", (name) => `Error when processing "${name}": open /t/${name}: bad message`],
  [
    "Full",
    "repository",
    (name) =>
      `async write error: unable to write content chunk 1 of LIST(FILE:${name}): write /r/p: no space left on device`,
  ],
];

describe("kopiaFailure", () => {
  test.each(SAID)("takes for %s (%s): %s", (errorClass, context, words) => {
    const error = kopiaFailure("restoring", { code: 1, signal: null, words }, { context, folder: "/t" });
    expect(error.class).toBe(errorClass);
    expect(error.message).toMatch(/^restoring: /);
    expect(error.detail).toBe(words);
  });

  test.each(ABOUT_FILES)("takes for %s (%s), whatever a file is called: %s", (errorClass, context, said) => {
    for (const name of NAMES) {
      const words = `before\n${said(name)}\nafter`;
      const error = kopiaFailure("restoring", { code: 1, signal: null, words }, { context, folder: "/t" });
      expect({ name, class: error.class }).toEqual({ name, class: errorClass });
    }
  });

  test("takes a kill from outside for a lack of memory", () => {
    expect(kopiaFailure("x", { code: null, signal: "SIGKILL", words: "" }).class).toBe("OutOfMemory");
  });
});

test("what is in the way in a target is named, and no second attempt is made", () => {
  const said =
    'restore error: copy file: error creating file: cannot replace "/t/letters/anna.txt" with tempfile "/t/letters/anna.txt21": rename /t/letters/anna.txt21 /t/letters/anna.txt: file exists';
  const end = { code: 1, signal: null, words: said };
  expect(kopiaFailure("restoring", end, { context: "target", folder: "/t" })).toMatchObject({
    class: "TargetNotWritable",
    retry: "terminal",
    message:
      "restoring: a folder of the target is where the snapshot has a file, or the other way round: letters/anna.txt",
    remedy: "Move away or delete what is in the way, then restore again.",
  });
});
