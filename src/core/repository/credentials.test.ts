import { expect, test } from "vitest";
import { credentialItems } from "./credentials.ts";

test.each([
  ["s3", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], ["AWS_SESSION_TOKEN"]],
  ["azure", [], ["AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"]],
  ["sftp", ["SFTP_KNOWN_HOSTS"], ["SFTP_PRIVATE_KEY", "SFTP_PASSWORD"]],
  ["filesystem", [], []],
] as const)("credentialItems(%s) asks for %j, and takes %j", (kind, needed, welcome) => {
  const items = credentialItems(kind);
  const keys = (optional: boolean) =>
    items.filter((item) => (item.optional ?? false) === optional).map(({ key }) => key);
  expect({ needed: keys(false), welcome: keys(true) }).toEqual({ needed, welcome });
  expect(items.every(({ key, as }) => key === as)).toBe(true);
});
