import { expect, test } from "vitest";
import { secondsAndNanoseconds } from "../seconds_and_nanoseconds.ts";
import { parseNode } from "./node.ts";

test.each([
  ["2026-11-15T05:29:04.1025294Z", [1_794_720_544, 102_529_400]],
  ["1969-12-31T23:59:54.999999999Z", [-6, 999_999_999]],
  ["1970-01-01T01:00:00+01:00", [0, 0]],
  ["2400-01-01T00:00:00.000000003Z", [13_569_465_600, 3]],
])("secondsAndNanoseconds() of %s", (time, wanted) => {
  expect(secondsAndNanoseconds(time)).toEqual(wanted);
});

test("parseNode() moves the special bits from where Go keeps them", () => {
  const mode = 0o755 | (1 << 23) | (1 << 20);
  expect(parseNode({ name: "x", type: "file", mode })?.mode).toBe(0o5755);
});

test("parseNode() passes over what is not a node", () => {
  expect(parseNode({ message_type: "snapshot", id: "1" })).toBeUndefined();
});
