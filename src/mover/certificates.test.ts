import { expect, test } from "vitest";
import { trusting } from "./certificates.ts";

test.each([
  [
    { s3: { bucket: "b", tls: { insecureSkipVerify: true } } },
    { s3: { bucket: "b", tls: { insecureSkipVerify: true, ca: "PEM" } } },
  ],
  [
    { azure: { container: "c", account: "a", tls: { ca: "other" } } },
    { azure: { container: "c", account: "a", tls: { ca: "PEM" } } },
  ],
  [{ webdav: { url: "https://w" } }, { webdav: { url: "https://w", tls: { ca: "PEM" } } }],
  [{ gcs: { bucket: "b" } }, { gcs: { bucket: "b" } }],
])("trusting() makes %j trust the certificate authorities of a Secret", (backend, wanted) => {
  expect(trusting(backend, "PEM")).toEqual(wanted);
  expect(trusting(backend, undefined)).toBe(backend);
});
