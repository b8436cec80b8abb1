import fc from "fast-check";
import { expect, test } from "vitest";
import { redacted } from "./redact.ts";

test.each([
  "password",
  "KOPIA_PASSWORD",
  "clientSecret",
  "token",
  "Authorization",
  "set-cookie",
  "privateKey",
  "AWS_SECRET_ACCESS_KEY",
  "accessKeyId",
  "api_key",
  "x-api-key",
  "AZURE_ACCOUNT_KEY",
  "passphrase",
  "credentials",
])("the value of %s is censored, at any depth", (name) => {
  expect(redacted({ a: [{ [name]: "x" }] })).toEqual({ a: [{ [name]: "[redacted]" }] });
});

test.each(["key", "secretName", "tokenPath", "credentialsRef", "monkey", "passed"])(
  "%s stays readable",
  (name) => {
    expect(redacted({ [name]: "x" })).toEqual({ [name]: "x" });
  },
);

test("the data of a Secret is censored, that of others is not", () => {
  const data = { a: "Zm9v" };
  expect(redacted({ object: { kind: "Secret", metadata: { name: "s" }, data } })).toEqual({
    object: { kind: "Secret", metadata: { name: "s" }, data: "[redacted]" },
  });
  expect(redacted({ kind: "ConfigMap", data })).toEqual({ kind: "ConfigMap", data });
});

test("passwords in URLs and bearer tokens in texts are censored", () => {
  expect(redacted("cannot reach https://user:pa55@host/x?a=b")).toBe(
    "cannot reach https://user:[redacted]@host/x?a=b",
  );
  expect(redacted("sent Authorization: Bearer abc.DEF-123456")).toBe("sent Authorization: Bearer [redacted]");
  expect(redacted("https://host:8080/x and a@b")).toBe("https://host:8080/x and a@b");
});

test("errors are told with their causes, and without secrets", () => {
  const error = new Error("outer", { cause: new Error("https://u:p@h failed") });
  expect(redacted({ error })).toMatchObject({
    error: { name: "Error", message: "outer", cause: { message: "https://u:[redacted]@h failed" } },
  });
});

test("a structure that contains itself comes to an end", () => {
  const loop: Record<string, unknown> = { a: 1 };
  loop.self = loop;
  expect(JSON.stringify(redacted(loop))).toContain("[too deep]");
});

test("whatever JSON it is, nothing else changes", () => {
  const plain = fc.jsonValue({ maxDepth: 5, stringUnit: fc.constantFrom("a", "b", "1") });
  fc.assert(
    fc.property(plain, (value) => {
      expect(JSON.stringify(redacted(value))).toBe(JSON.stringify(value));
    }),
  );
});
