import { expect, test } from "vitest";
import { sampleBackup } from "../testing/samples.ts";
import { missingLabels } from "./missing_labels.ts";

const whole = {
  "backups.cozystack.io/application": "db",
  "backups.cozystack.io/application-kind": "Postgres",
  "backups.cozystack.io/application-group": "apps.cozystack.io",
  "backups.cozystack.io/plan": "nightly",
};

test.each([
  ["none", undefined, whole],
  ["all", whole, undefined],
  [
    "those of another application",
    { ...whole, "backups.cozystack.io/application": "other" },
    { "backups.cozystack.io/application": "db" },
  ],
])("what a Backup lacks that has %s of its labels", (_, labels, missing) => {
  const backup = sampleBackup("first", { planRef: { name: "nightly" } });
  expect(
    missingLabels({ ...backup, metadata: { ...backup.metadata, ...(labels ? { labels } : {}) } }),
  ).toEqual(missing);
});

test("a long name gets a label all the same, and what is being deleted none", () => {
  const long = "a".repeat(200);
  const backup = sampleBackup("first", { applicationRef: { kind: "Postgres", name: long } });
  expect(missingLabels(backup)?.["backups.cozystack.io/application"]).toMatch(/^a.{1,62}$/);
  const metadata = { ...backup.metadata, deletionTimestamp: "2026-05-24T12:00:00Z" };
  expect(missingLabels({ ...backup, metadata })).toBeUndefined();
});
