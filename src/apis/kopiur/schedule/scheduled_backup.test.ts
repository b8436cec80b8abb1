import { expect, test } from "vitest";
import { schedule } from "../testing/samples.ts";
import { scheduledBackup } from "./scheduled_backup.ts";

const slot = { slot: Date.parse("2026-05-24T02:00:00Z"), at: Date.parse("2026-05-24T02:13:00Z") };

test("scheduledBackup() is named after its slot, says where it comes from, and belongs to nobody", () => {
  expect(scheduledBackup(schedule({ spec: { tags: { reason: "nightly" } } }), slot)).toEqual({
    metadata: {
      name: "nightly-20260524-020000",
      namespace: "billing",
      labels: {
        "kopiur.home-operations.com/backup-schedule": "nightly",
        "kopiur.home-operations.com/backup-config": "data",
        "kopiur.home-operations.com/origin": "scheduled",
      },
      annotations: {
        "kopiur.home-operations.com/slot": "2026-05-24T02:00:00Z",
        "kopiur.home-operations.com/scheduled-at": "2026-05-24T02:13:00Z",
      },
    },
    spec: { configRef: { name: "data" }, tags: { reason: "nightly" } },
  });
});

test("scheduledBackup() of a schedule with a long name fits into names and labels", () => {
  const { metadata } = scheduledBackup(schedule({ metadata: { name: "n".repeat(253) } }), slot);
  expect(metadata.name?.length).toBeLessThanOrEqual(63);
  expect(Object.values(metadata.labels ?? {}).every((value) => value.length <= 63)).toBe(true);
});
