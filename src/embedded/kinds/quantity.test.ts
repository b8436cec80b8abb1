import fc from "fast-check";
import { expect, test } from "vitest";
import { compareQuantities, formatQuantity, parseQuantity } from "./quantity.ts";

function rewritten(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

test.each([
  ["1024Mi", "1Gi"],
  ["0.5Gi", "512Mi"],
  ["1000Ki", "1000Ki"],
  ["1.5Ki", "1536"],
  ["512", "512"],
  ["1.1Gi", "1181116006400m"],
  ["1000", "1k"],
  ["5000000", "5M"],
  ["1.5", "1500m"],
  ["1500m", "1500m"],
  ["0.0001", "1m"],
  ["12E", "12E"],
  ["1Ei", "1Ei"],
  ["100e3", "100e3"],
  ["2e-3", "2e-3"],
  ["-1Gi", "-1Gi"],
  ["+1", "1"],
  ["0", "0"],
  [".5", "500m"],
])("%s is written as %s, as the API server does", (given, written) => {
  expect(rewritten(given)).toBe(written);
});

test.each(["", "much", "1 Gi", "1GiB", "1.2.3", "--1", ".", "Gi", "1e99999"])("%j is no quantity", (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test("a quantity that was written once stays as it is, and what it is", () => {
  const amount = fc.tuple(
    fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }),
    fc.constantFrom("", "m", "k", "M", "Ki", "Mi", "e3"),
  );
  fc.assert(
    fc.property(amount, ([value, unit]) => {
      const once = rewritten(`${value}${unit}`) ?? "";
      expect(rewritten(once)).toBe(once);
      expect(compareQuantities(once, `${value}${unit}`)).toBe(0);
    }),
  );
});

test("quantities compare by amount, whatever their units", () => {
  expect(compareQuantities("1Gi", "1G")).toBe(1);
  expect(compareQuantities("1024Mi", "1Gi")).toBe(0);
  expect(compareQuantities("100m", 1)).toBe(-1);
  expect(compareQuantities(undefined, "1")).toBe(-1);
});
