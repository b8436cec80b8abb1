import { expect, test } from "vitest";
import { backup, NOW } from "../testing/samples.ts";
import { decideRetention } from "./decide_retention.ts";
import type { SuccessfulBackup } from "./history.ts";
import { shownRetention } from "./shown_retention.ts";

const DAY = 86_400_000;

function observed(more: object = {}) {
  const successes = Array.from(
    { length: 4 },
    (_, i): SuccessfulBackup<string> => ({
      backup: `day-${i}`,
      name: `day-${i}`,
      at: NOW - (4 - i) * DAY,
      origin: i === 0 ? "manual" : "scheduled",
      held: false,
      snapshots: [{ path: "/pvc/data", bytes: 1000 }],
    }),
  );
  const retention = { keepLatest: 2, maxShrinkPercent: 50 };
  return {
    owner: backup(),
    retention,
    history: { successes, failures: [] },
    schedules: [],
    now: NOW,
    ...more,
  };
}

test("what is shown to go is what goes, and what stays says by which rule", () => {
  const shown = shownRetention(observed());
  expect(shown.deleted.map((one) => one.backup)).toEqual(["day-1"]);
  expect(decideRetention(observed()).prune).toEqual(["day-1"]);
  expect(shown.kept.map((one) => [one.backup, one.because])).toEqual([
    ["day-3", ["keepLatest", "newest"]],
    ["day-2", ["keepLatest"]],
    ["day-0", ["manual"]],
  ]);
  expect(shown.paused).toBeUndefined();
});

test("a pause is told, with what would go", () => {
  const doubt = { reason: "CatalogShrunk", message: "3 of 5 snapshots are not there." };
  const shown = shownRetention(observed({ doubt }));
  expect(shown).toMatchObject({ paused: doubt.message, deleted: [{ backup: "day-1" }] });
});

test("without retention all stay", () => {
  const shown = shownRetention(observed({ retention: undefined }));
  expect([shown.kept.length, shown.deleted, shown.paused]).toEqual([4, [], undefined]);
});
