import { describe, expect, test } from "vitest";
import { formatCheck, isUncheckedFormat } from "./format.ts";

const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    "date",
    ["2024-02-29", "2000-02-29"],
    ["2023-02-29", "1900-02-29", "2024-00-10", "2024-1-1", "2024-04-31"],
  ],
  [
    "date-time",
    ["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.5+01:00"],
    ["2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00"],
  ],
  ["duration", ["1h30m", "-1.5s", "0", "2 days", "3 weeks"], ["", "5", "day", "1x"]],
  ["byte", ["aGk=", "aGVsbG8h"], ["aGk", "a-k="]],
  [
    "uuid",
    ["01234567-89ab-4cde-8f01-23456789abcd", "0123456789AB1cde0f0123456789abcd"],
    ["01234567", "g1234567-89ab-4cde-8f01-23456789abcd"],
  ],
  [
    "uuid4",
    ["01234567-89ab-4cde-8f01-23456789abcd"],
    ["01234567-89ab-1cde-8f01-23456789abcd", "01234567-89ab-4cde-7f01-23456789abcd"],
  ],
  ["ipv4", ["10.0.0.1", "010.0.0.1"], ["256.0.0.1", "1.2.3", "::1"]],
  [
    "ipv6",
    ["::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
    ["1::2::3", "1:2:3", "10.0.0.1", "1:2:3:4:5:6:7:8:9", ":1"],
  ],
  ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33", "::/129"]],
  ["hostname", ["a", "example.com", "ex-ample.org"], ["-a", "a_b", "a..b", `${"a".repeat(64)}.com`]],
  ["password", ["anything"], []],
];

describe("formatCheck()", () => {
  test.each(rows)("knows %s", (format, good, bad) => {
    const check = formatCheck(format);
    expect(good.filter((text) => !check?.(text))).toEqual([]);
    expect(bad.filter((text) => check?.(text))).toEqual([]);
  });

  test("has nothing to say of formats that the API server does not check", () => {
    expect(formatCheck("int32")).toBeUndefined();
    expect(isUncheckedFormat("int32")).toBe(false);
    expect(isUncheckedFormat("email")).toBe(true);
  });
});
