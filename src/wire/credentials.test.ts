import { describe, expect, test } from "vitest";
import { missingCredentials, NEEDED_CREDENTIALS } from "./credentials.ts";

describe("missingCredentials", () => {
  test("is undefined when an alternative is complete", () => {
    expect(missingCredentials("azure", { AZURE_STORAGE_SAS_TOKEN: "x" })).toBeUndefined();
    expect(missingCredentials("filesystem", {})).toBeUndefined();
    expect(missingCredentials("webdav", {})).toBeUndefined();
  });

  test("names the keys of the alternative that lacks the fewest", () => {
    expect(missingCredentials("s3", { AWS_ACCESS_KEY_ID: "x" })).toEqual(["AWS_SECRET_ACCESS_KEY"]);
    expect(missingCredentials("sftp", { SFTP_PASSWORD: "x" })).toEqual(["SFTP_KNOWN_HOSTS"]);
  });

  test("takes an empty value for a missing one", () => {
    expect(missingCredentials("azure", { AZURE_STORAGE_KEY: "" })).toEqual(["AZURE_STORAGE_KEY"]);
  });

  test("knows every backend", () => {
    expect(Object.values(NEEDED_CREDENTIALS).every((alternatives) => alternatives.length > 0)).toBe(true);
  });
});
