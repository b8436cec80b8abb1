import { expect, test } from "vitest";
import { isAttended, watchAttendance } from "./attendance.ts";

test("a page is attended for a minute after it was opened or touched", () => {
  const page = new EventTarget();
  watchAttendance(page as Window);
  const opened = Date.now();
  expect([59_000, 61_000].map((later) => isAttended(opened + later))).toEqual([true, false]);
  page.dispatchEvent(new Event("keydown"));
  expect(isAttended(Date.now() + 59_000)).toBe(true);
});
