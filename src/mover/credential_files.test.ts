import { expect, test } from "vitest";
import { fromFiles } from "./credential_files.ts";

const s3 = { s3: { bucket: "b" } };
const azure = { azure: { container: "c", account: "a" } };
const KEYS = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "s=/x" };
const DEFAULT = "[default]\naws_access_key_id = AK\naws_secret_access_key=s=/x\n";

test.each([
  ["the default profile", s3, DEFAULT, KEYS],
  ["no line of another section", s3, `${DEFAULT}[more]\naws_access_key_id=other\n`, KEYS],
  [
    "a profile of a file of settings, with a token, quotes and comments",
    { s3: { bucket: "b", profile: "p" } },
    '# mine\n[profile p]\r\naws_access_key_id="AK"\r\naws_secret_access_key=s=/x\naws_session_token=t',
    { ...KEYS, AWS_SESSION_TOKEN: "t" },
  ],
])("fromFiles() takes %s", (_, backend, text, found) => {
  expect(fromFiles(backend, { AWS_CREDENTIALS_FILE: text })).toEqual(found);
});

test("fromFiles() takes the key of a storage account, by its name", () => {
  const text = "AZURE_CLOUD_NAME=AzurePublicCloud\nexport AZURE_STORAGE_ACCOUNT_ACCESS_KEY='k=='\nOTHER=o";
  expect(fromFiles(azure, { AZURE_CREDENTIALS_FILE: text })).toEqual({ AZURE_STORAGE_KEY: "k==" });
  const named = { azure: { ...azure.azure, keyName: "OTHER" } };
  expect(fromFiles(named, { AZURE_CREDENTIALS_FILE: text })).toEqual({ AZURE_STORAGE_KEY: "o" });
});

test("fromFiles() leaves plain credentials as they are", () => {
  expect(fromFiles(s3, KEYS)).toEqual(KEYS);
  expect(fromFiles({ filesystem: { path: "/r" } }, {})).toEqual({});
});

test.each([
  [s3, "[other]\n", "the credentials file has no profile default"],
  [s3, "[default]\n", "profile default of the credentials file has no access key"],
  [
    s3,
    "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile=x\n",
    "profile default of the credentials file asks for role_arn, which movers cannot use",
  ],
])("fromFiles() refuses %j with %j", (backend, text, why) => {
  expect(() => fromFiles(backend, { AWS_CREDENTIALS_FILE: text })).toThrow(why);
});

test("fromFiles() refuses an identity of Azure that has no key", () => {
  expect(() => fromFiles(azure, { AZURE_CREDENTIALS_FILE: "AZURE_CLIENT_ID=i\n" })).toThrow(
    "the credentials file has no AZURE_STORAGE_ACCOUNT_ACCESS_KEY, and movers cannot reach the storage",
  );
});
