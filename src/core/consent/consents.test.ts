import { expect, test } from "vitest";
import { backup, GROUP } from "../testing/samples.ts";
import { consentsOf, isConsented, withConsents } from "./consents.ts";

const ANNOTATION = `${GROUP}/consented-references`;
const nas = { kind: "Repository", namespace: "backups", name: "nas" } as const;
const claims = { kind: "PersistentVolumeClaim", namespace: "staging" } as const;

test("consents are read as they are written", () => {
  const written = withConsents(backup(), ["Repository/backups/nas", "PersistentVolumeClaim/staging/*"]);
  expect(written.metadata.annotations).toEqual({
    [ANNOTATION]: "PersistentVolumeClaim/staging/*,Repository/backups/nas",
  });
  expect(isConsented(written, nas)).toBe(true);
  expect(isConsented(written, claims)).toBe(true);
  expect(isConsented(written, { ...nas, name: "other" })).toBe(false);
  expect(isConsented(written, { ...claims, name: "data" })).toBe(false);
});

test("no consents leave no annotation, and other annotations alone", () => {
  const annotations = { [ANNOTATION]: "Repository/backups/nas", note: "mine" };
  const cleared = withConsents(backup({ metadata: { annotations } }), []);
  expect(cleared.metadata.annotations).toEqual({ note: "mine" });
  expect(consentsOf(cleared).size).toBe(0);
});

test("what does not change is the same object", () => {
  const plain = backup();
  expect(withConsents(plain, [])).toBe(plain);
});
