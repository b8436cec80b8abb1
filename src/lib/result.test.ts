import { describe, expect, test } from "vitest";
import { err, messageOf, ok, type Result, unreachable } from "./result.ts";

test("ok() and err() are told apart by their tag", () => {
  const half = (n: number): Result<number, string> => (n % 2 === 0 ? ok(n / 2) : err(`${n} is odd`));
  expect(half(4)).toEqual({ ok: true, value: 2 });
  expect(half(3)).toEqual({ ok: false, error: "3 is odd" });
});

test("unreachable() names the value that should not have been", () => {
  expect(() => unreachable({ type: "surprise" } as never)).toThrow('unexpected value: {"type":"surprise"}');
});

describe("messageOf()", () => {
  test("is the message of an error, and the text of anything else", () => {
    expect(messageOf(new TypeError("no"))).toBe("no");
    expect(messageOf("plain")).toBe("plain");
    expect(messageOf(undefined)).toBe("undefined");
  });
});
