import { describe, expect, test } from "vitest";
import { kopiaStorage } from "./storage.ts";

const S3 = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

describe("kopiaStorage", () => {
  test("turns an endpoint with http: into one without TLS, and ends a prefix with a slash", () => {
    const { type, config } = kopiaStorage(
      { s3: { bucket: "b", prefix: "p", endpoint: "http://s:9000/" } },
      S3,
    );
    expect(type).toBe("s3");
    expect(config).toMatchObject({ bucket: "b", prefix: "p/", endpoint: "s:9000", doNotUseTLS: true });
  });

  test("takes Amazon's endpoint of the region, with TLS and the given authority", () => {
    const { config } = kopiaStorage({ s3: { bucket: "b", region: "eu-west-1", tls: { ca: "PEM" } } }, S3);
    expect(config).toMatchObject({
      endpoint: "s3.eu-west-1.amazonaws.com",
      rootCA: "UEVN",
      region: "eu-west-1",
    });
    expect(config.doNotUseTLS).toBeUndefined();
  });

  test("hands a session token over", () => {
    const { config } = kopiaStorage({ s3: { bucket: "b" } }, { ...S3, AWS_SESSION_TOKEN: "t" });
    expect(config.sessionToken).toBe("t");
  });

  test("reaches an emulator of Google's storage by the environment", () => {
    const { env, config } = kopiaStorage(
      { gcs: { bucket: "b", endpoint: "http://e" } },
      { GCS_CREDENTIALS_JSON: '{"type":"x"}' },
    );
    expect(env).toEqual({ STORAGE_EMULATOR_HOST: "http://e" });
    expect(config.credentials).toEqual({ type: "x" });
  });

  test("says that a key of Google's is none, without quoting it", () => {
    const garbled = () => kopiaStorage({ gcs: { bucket: "b" } }, { GCS_CREDENTIALS_JSON: "ewog" });
    const said = { class: "CredentialsMissing", detail: undefined };
    const message = expect.stringMatching(/^(?!.*ewog).*GCS_CREDENTIALS_JSON is not JSON$/);
    expect(garbled).toThrow(expect.objectContaining({ ...said, message }));
    expect(kopiaStorage({ gcs: { bucket: "b" } }, { GCS_CREDENTIALS_JSON: "" }).config.credentials).toBe(
      undefined,
    );
  });

  test("trusts a WebDAV server's authority by file", () => {
    expect(kopiaStorage({ webdav: { url: "https://w", tls: { ca: "PEM" } } }, {}).caFile).toBe("PEM");
  });

  test("refuses what kopia would silently leave out", () => {
    const refused = { class: "Unsupported" };
    const host = { s3: { bucket: "b", endpoint: "s:9000", addressing: "Host" } } as const;
    expect(() => kopiaStorage(host, S3)).toThrow(expect.objectContaining(refused));
    const insecure = { webdav: { url: "https://w", tls: { insecureSkipVerify: true } } };
    expect(() => kopiaStorage(insecure, {})).toThrow(expect.objectContaining(refused));
    expect(kopiaStorage({ s3: { bucket: "b", endpoint: "s:9000", addressing: "Path" } }, S3).type).toBe("s3");
  });

  test("gives B2 its key by configuration", () => {
    const { type, config } = kopiaStorage(
      { b2: { bucket: "b" } },
      { B2_ACCOUNT_ID: "i", B2_ACCOUNT_KEY: "k" },
    );
    expect({ type, config }).toEqual({
      type: "b2",
      config: { bucket: "b", prefix: undefined, keyID: "i", key: "k" },
    });
  });
});
