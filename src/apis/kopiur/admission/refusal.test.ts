import { expect, test } from "vitest";
import type { Violation } from "../rules/violation.ts";
import { refusal } from "./refusal.ts";

const wrong = (field: string, forbidden = false): Violation => ({
  reason: "Wrong",
  field,
  what: "it is wrong",
  why: "so it is",
  fix: "Change it",
  forbidden,
});

test("one problem stands for itself", () => {
  expect(refusal([wrong("spec.a")])).toEqual({
    code: 422,
    message: "spec.a: it is wrong: so it is. Change it.",
  });
});

test("several are numbered, and what somebody has to allow is forbidden", () => {
  expect(refusal([wrong("spec.a"), wrong("spec.b", true)])).toEqual({
    code: 403,
    message:
      "2 problems: (1) spec.a: it is wrong: so it is. Change it. (2) spec.b: it is wrong: so it is. Change it.",
  });
});

test("many are cut short", () => {
  const { message } = refusal(Array.from({ length: 20 }, (_, index) => wrong(`spec.a${index}`)));
  expect(message).toMatch(/^20 problems: .*\(8\) spec\.a7: [^(]* \(12 more\)$/);
});
