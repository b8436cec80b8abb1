import { expect, test } from "vitest";
import { levelOf, phaseTone } from "./levels.ts";

test("a safe volume with something wrong is not shown as well", () => {
  expect(levelOf({ protection: "yes", wrong: [] }).tone).toBe("good");
  expect(levelOf({ protection: "yes", wrong: ["The last backup failed"] }).tone).toBe("warn");
  expect(levelOf({ protection: "no", wrong: [] })).toMatchObject({ tone: "bad", label: "Unprotected" });
  expect(levelOf({ protection: "no", wrong: [], unseen: true })).toMatchObject({
    tone: "warn",
    label: "Unknown",
  });
});

test.each([
  ["Ready", "good"],
  ["Succeeded", "good"],
  ["Failed", "bad"],
  ["PartiallyFailed", "bad"],
  ["Unavailable", "bad"],
  ["Degraded", "warn"],
  ["Running", "busy"],
  ["Queued", "busy"],
])("phase %s is %s", (phase, tone) => {
  expect(phaseTone(phase)).toBe(tone);
});
