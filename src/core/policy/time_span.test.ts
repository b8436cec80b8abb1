import { expect, test } from "vitest";
import { spanMs } from "./time_span.ts";

const DAY = 86_400_000;

test.each([
  ["30d", 30 * DAY],
  ["2w", 14 * DAY],
  ["1y6m", (365 + 180) * DAY],
  ["12h", DAY / 2],
])("spanMs(%s)", (text, ms) => {
  expect(spanMs(text)).toBe(ms);
});
