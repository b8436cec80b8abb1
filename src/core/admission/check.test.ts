import { expect, test } from "vitest";
import type { Violation } from "../reconcile/violation.ts";
import { type Around, type Check, examine, refusal } from "./check.ts";

const AROUND: Around<undefined> = { lookup: undefined, isOperator: false, operatorNamespace: "platform" };
const odd = (value: number): Violation => ({
  reason: "Odd",
  field: "spec.value",
  what: `${value} is odd`,
  why: "two does not divide it",
  fix: "Choose another",
});
const check: Check<number, unknown> = ({ object, old }) => [
  ...(object % 2 === 1 ? [{ refuse: odd(object) }] : []),
  ...(old !== undefined && old !== object ? [{ warn: `${old} was there` }] : []),
];

test("a new object is refused for what is wrong with it", () => {
  expect(examine(check, { object: 3, old: undefined }, AROUND)).toEqual({ errors: [odd(3)], warnings: [] });
});

test("what was wrong already is only a warning, without its fix", () => {
  expect(examine(check, { object: 3, old: 3 }, AROUND)).toEqual({
    errors: [],
    warnings: ["spec.value: 3 is odd: two does not divide it"],
  });
});

test("what is wrong in another way than before is refused", () => {
  expect(examine(check, { object: 5, old: 3 }, AROUND)).toEqual({
    errors: [odd(5)],
    warnings: ["3 was there"],
  });
});

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
