import { expect, test } from "vitest";
import type { Violation } from "../rules/violation.ts";
import { type Around, type Check, examine } from "./check.ts";
import { EMPTY_LOOKUP } from "./testing/memory_lookup.ts";

const AROUND: Around = { lookup: EMPTY_LOOKUP, isOperator: false, operatorNamespace: "platform" };
const odd = (value: number): Violation => ({
  reason: "Odd",
  field: "spec.value",
  what: `${value} is odd`,
  why: "two does not divide it",
  fix: "Choose another",
});
const check: Check<number> = ({ object, old }) => [
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
