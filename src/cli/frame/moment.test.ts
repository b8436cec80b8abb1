import { expect, test } from "vitest";
import { momentIn } from "./moment.ts";

const NOW = Date.parse("2026-05-24T12:00:00.500Z");

test.each([
  ["2h ago", "2026-05-24T10:00:00Z"],
  ["1d12h ago", "2026-05-23T00:00:00Z"],
  ["30m", "2026-05-24T11:30:00Z"],
  ["yesterday", "2026-05-23T12:00:00Z"],
  ["2026-05-01T03:00:00Z", "2026-05-01T03:00:00Z"],
  ["2026-05-01T03:00+02:00", "2026-05-01T01:00:00Z"],
])("%s is %s", (text, moment) => {
  expect(momentIn("as-of", text, NOW)).toBe(moment);
});

test.each(["soon", "", "2h later", "2026-13-01T00:00:00Z", "2026-05-01"])("%j is no moment", (text) => {
  expect(() => momentIn("as-of", text, NOW)).toThrow("which is no moment");
});
