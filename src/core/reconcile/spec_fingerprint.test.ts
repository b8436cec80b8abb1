import { expect, test } from "vitest";
import { specFingerprint } from "./spec_fingerprint.ts";

const object = (generation: number, annotations?: Readonly<Record<string, string>>) => ({
  apiVersion: "kopiur.home-operations.com/v1alpha1",
  kind: "Thing",
  metadata: {
    name: "thing",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    generation,
    ...(annotations ? { annotations } : {}),
  },
});

test("specFingerprint() changes with the spec and with our annotations, in whatever order, and with nothing else", () => {
  const first = "kopiur.home-operations.com/cancel";
  const second = "kopiur.home-operations.com/hold";
  expect(specFingerprint(object(1))).not.toBe(specFingerprint(object(2)));
  expect(specFingerprint(object(1))).not.toBe(specFingerprint(object(1, { [first]: "true" })));
  expect(specFingerprint(object(1, { [first]: "1", [second]: "2" }))).toBe(
    specFingerprint(object(1, { [second]: "2", [first]: "1" })),
  );
  expect(specFingerprint(object(1, { "example.org/seen": "today" }))).toBe(specFingerprint(object(1)));
});

test("specFingerprint() does not change when the operator is about to delete the object", () => {
  const mark = { "kopiur.home-operations.com/deletion-reason": "Retention" };
  expect(specFingerprint(object(1, mark))).toBe(specFingerprint(object(1)));
});

test("specFingerprint() of what has ended, and never runs again, is what it was then", () => {
  expect(specFingerprint({ ...object(2), endedAs: "then" })).toBe("then");
});
