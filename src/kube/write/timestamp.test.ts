import { expect, test } from "vitest";
import { timestamp } from "./timestamp.ts";

test("timestamp() writes RFC 3339 in whole seconds, never a moment that has not come", () => {
  expect(timestamp(Date.UTC(2026, 1, 3, 4, 5, 6, 999))).toBe("2026-02-03T04:05:06Z");
});
