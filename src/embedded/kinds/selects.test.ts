import { expect, test } from "vitest";
import { selects } from "./selects.ts";

const rule = (operator: string, values?: readonly string[]) => ({
  matchExpressions: [{ key: "a", operator, ...(values ? { values } : {}) }],
});

test.each([
  [{}, {}, true],
  [undefined, { a: "1" }, true],
  [{ matchLabels: { a: "1" } }, { a: "1", b: "2" }, true],
  [{ matchLabels: { a: "1", b: "3" } }, { a: "1", b: "2" }, false],
  [rule("In", ["1", "2"]), { a: "2" }, true],
  [rule("In", ["1"]), {}, false],
  [rule("NotIn", ["1"]), {}, true],
  [rule("NotIn", ["1"]), { a: "1" }, false],
  [rule("Exists"), { a: "" }, true],
  [rule("Exists"), {}, false],
  [rule("DoesNotExist"), {}, true],
  [rule("DoesNotExist"), { a: "" }, false],
  [rule("Near"), { a: "" }, false],
])("%j selects %j: %j", (selector, labels, selected) => {
  expect(selects(selector, labels)).toBe(selected);
});
