import { expect, test } from "vitest";
import { volsyncCron } from "./volsync_cron.ts";

test.each([
  ["5 3 * * 0", "5 3 * * 0"],
  ["*/15 * 1-7 * mon", "0,15,30,45 * 1-7 * 1"],
  ["1-59/30 9-17/4 * * *", "1,31 9,13,17 * * *"],
  ["0 0 1-3,10 * *", "0 0 1,2,3,10 * *"],
])("%s is %s for VolSync", (expression, wanted) => {
  expect(volsyncCron(expression, "media/data")).toEqual({ ok: true, value: wanted });
});

test("each PVC has values of its own for H, also with a step", () => {
  expect(volsyncCron("H * * * *", "media/data")).toMatchObject({
    value: expect.stringMatching(/^\d+ \* \* \* \*$/),
  });
  expect(volsyncCron("H/30 * * * *", "media/data")).toMatchObject({
    value: expect.stringMatching(/^\d+,\d+ \* \* \* \*$/),
  });
});

test("what VolSync has no form for is refused, with what to write", () => {
  expect(volsyncCron("0 0 * * 5#2", "a")).toEqual({
    ok: false,
    error: "VolSync does not take 5#2: write numbers, ranges such as 1-5, and steps such as */2",
  });
  expect(volsyncCron("every week", "a")).toMatchObject({ ok: false });
});
