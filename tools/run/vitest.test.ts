import { expect, test } from "vitest";
import { limitOf } from "./vitest.ts";

test("what hangs is ended, but the full matrix takes its time", () => {
  expect(limitOf("unit", {})).toEqual({ limit: 900_000 });
  expect(limitOf("engines", { HOLDFAST_LONG: "1" })).toEqual({});
});
