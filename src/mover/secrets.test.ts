import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { locate } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const places = () => ({ credentials: folder, password: join(folder, "password") });
const s3 = { s3: { bucket: "b" } };

describe("locate()", () => {
  test("reads the known keys, each without the newline of a single line", async () => {
    put("password", "pass word \n");
    put("AWS_ACCESS_KEY_ID", "id\r\n");
    put("AWS_SECRET_ACCESS_KEY", "secret");
    put("SFTP_PRIVATE_KEY", "begin\nend\n");
    put("LD_PRELOAD", "evil");
    expect(await locate(s3, places())).toEqual({
      backend: s3,
      password: "pass word ",
      credentials: {
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
        SFTP_PRIVATE_KEY: "begin\nend\n",
      },
    });
  });

  test("trusts the certificate authorities that are among the secrets", async () => {
    put("password", "p");
    put("AWS_ACCESS_KEY_ID", "id");
    put("AWS_SECRET_ACCESS_KEY", "secret");
    put("CA_CERTIFICATES", "begin\nend\n");
    expect(await locate(s3, places())).toEqual({
      backend: { s3: { bucket: "b", tls: { ca: "begin\nend\n" } } },
      password: "p",
      credentials: { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" },
    });
  });

  test("says which keys are missing", async () => {
    put("AWS_ACCESS_KEY_ID", "id");
    await expect(locate(s3, places())).rejects.toMatchObject({
      class: "CredentialsMissing",
      message: "the mover was not given AWS_SECRET_ACCESS_KEY and the repository's password",
    });
  });

  test("takes an empty password for none", async () => {
    put("password", "\n");
    await expect(locate({ filesystem: { path: "/r" } }, places())).rejects.toMatchObject({
      class: "CredentialsMissing",
      message: "the mover was not given the repository's password",
    });
  });

  test("says so when the secrets are there and cannot be read", async () => {
    await expect(locate(s3, { credentials: folder, password: folder })).rejects.toMatchObject({
      class: "CredentialsMissing",
      message: expect.stringContaining("may not read its secrets"),
    });
  });
});
