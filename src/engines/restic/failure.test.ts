import { describe, expect, test } from "vitest";
import { resticFailure } from "./failure.ts";

const SFTP = "subprocess /usr/local/bin/holdfast-sftp:";
const AZURE = `${"-".repeat(80)}\nRESPONSE 404: 404 The specified blob does not exist.\nERROR CODE: BlobNotFound`;

test.each([
  [
    10,
    "Fatal: repository does not exist: unable to open config file: stat /r/config: no such file or directory",
    "NotARepository",
  ],
  [10, "Fatal: repository does not exist at b2:shop:/: repository does not exist", "BucketMissing"],
  [
    1,
    "Stat(<config/>) returned error, retrying after 9.1s: client.GetObject: Bucket name cannot be shorter than 3 characters",
    "BucketMissing",
  ],
  [12, "Fatal: wrong password or no key found", "WrongPassword"],
  [1, "Stat(<config/>) failed: Stat: Access Denied.", "Forbidden"],
  [1, `${SFTP} ssh: handshake failed: ssh: unable to authenticate, attempted methods [none]`, "Forbidden"],
  [1, `${SFTP} ssh: handshake failed: knownhosts: key mismatch`, "UntrustedServer"],
  [1, `${SFTP} ssh: handshake failed: ssh: no common algorithm for host key`, "UntrustedServer"],
  [1, `${SFTP} connection timed out: the server does not answer`, "Unreachable"],
  [
    1,
    'Head "https://s3/b": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    "UntrustedServer",
  ],
  [1, "dial tcp 127.0.0.1:1: connect: connection refused", "Unreachable"],
  [1, "Save(<data/1>) failed: write /r/data/x: no space left on device", "Full"],
  [1, "open /r/locks/x: read-only file system", "ReadOnly"],
  [1, 'no matching ID found for prefix "deadbeef"', "SnapshotMissing"],
  [
    1,
    "Fatal: failed to find snapshot: failed to load snapshot [null]: open r/snapshots/00: no such file or directory",
    "SnapshotMissing",
  ],
  [
    1,
    `Fatal: failed to find snapshot: failed to load snapshot [null]: GET https://a/c/r/snapshots/00\n${AZURE}`,
    "SnapshotMissing",
  ],
  [
    1,
    "failed to find snapshot: failed to load snapshot [null]: Copy: b2_download_file_by_name: 404: not_found",
    "SnapshotMissing",
  ],
  [1, `Load(<data/1>) failed: GET https://a/c/r/data/1\n${AZURE}`, "Corrupt"],
  [1, "Load(<data/1>, 0, 0) failed: file does not exist", "Corrupt"],
  // An answer that was cut off on its way says nothing of what is stored.
  [1, "Load(<data/1>, 0, 0) failed: unexpected EOF", "Unreachable"],
  [1, "pack 3: unexpected EOF", "Corrupt"],
  [1, "Load(<data/1>, 0, 0) failed: storage: object doesn't exist", "Corrupt"],
  [1, "Load(<data/1>, 0, 0) failed: <data/1> does not exist", "Corrupt"],
  [1, "Load(<data/1>, 0, 0) failed: Copy: b2_download_file_by_name: 404: not_found", "Corrupt"],
  [1, "path nope: not found", "PathMissing"],
  [1, "ciphertext verification failed", "Corrupt"],
  [1, "something new", "EngineFailed"],
] as const)("exit code %i with %j is %s", (code, words, wanted) => {
  expect(resticFailure("opening", { code, signal: null, words }).class).toBe(wanted);
});

describe("a request that was repeated", () => {
  const RETRY = "Load(<data/1>, 0, 0) returned error, retrying after 1s: dial tcp: connection refused";
  const failure = (words: string, how = {}) =>
    resticFailure("restoring", { code: 1, signal: null, words }, how).class;

  test("does not hide why it ended", () => {
    const done = "Load(<data/1>, 0, 0) operation successful after 1 retries";
    expect(failure(`${RETRY}\n${done}\nciphertext verification failed`)).toBe("Corrupt");
    expect(failure(`${RETRY}\nno matching ID found for prefix "deadbeef"`)).toBe("SnapshotMissing");
  });

  test("is the reason where no other is known, or it was ended for it", () => {
    expect(failure(`${RETRY}\nFatal: something new`)).toBe("Unreachable");
    const cache = "unable to open cache: mkdir /cache: permission denied";
    expect(failure(`${cache}\n${RETRY}`, { ended: true })).toBe("Unreachable");
  });
});

test("a lock says who holds it and since when", () => {
  const words =
    "repository is already locked by PID 1368 on vm by root (UID 0, GID 0)\nlock was created at 2026-11-15 05:29:53 (3m6s ago)";
  expect(resticFailure("deleting", { code: 11, signal: null, words }).message).toBe(
    "deleting: the repository is locked by PID 1368 on vm since 2026-11-15 05:29:53",
  );
});

test("a kill that was not ours is put down to memory", () => {
  expect(resticFailure("backing up", { code: null, signal: "SIGKILL", words: "" }).class).toBe("OutOfMemory");
});

describe("what is said of a file", () => {
  const said = (item: string, message: string) =>
    JSON.stringify({ message_type: "error", error: { message }, during: "restore", item });
  const fatal = JSON.stringify({
    message_type: "exit_error",
    code: 1,
    message: "Fatal: There were 1 errors\n",
  });
  const failure = (...lines: readonly string[]) =>
    resticFailure("restoring", { code: 1, signal: null, words: `${lines.join("\n")}\n` });

  test("names it", () => {
    const damaged = said(
      "/films/6.raw",
      "decrypting blob <data/1> from 2 failed: ciphertext verification failed",
    );
    expect(failure(damaged, fatal)).toMatchObject({
      class: "Corrupt",
      detail:
        "/films/6.raw: decrypting blob <data/1> from 2 failed: ciphertext verification failed\nFatal: There were 1 errors",
    });
  });

  test.each(["/500", "/forbidden/x509:", "/read-only file system"])(
    "is not judged by its name: %s",
    (item) => {
      const damaged = said(item, "decrypting blob <data/1> from 2 failed: ciphertext verification failed");
      const missing = said(item, `lchown /tmp/target${item}: no such file or directory`);
      expect(failure(damaged, missing, fatal).class).toBe("Corrupt");
    },
  );

  test.each(["/", "/o"])("is judged by all the rest: %s", (item) => {
    expect(failure(said(item, "read tcp 10.0.0.1:80: i/o timeout"), fatal).class).toBe("Unreachable");
  });
});
