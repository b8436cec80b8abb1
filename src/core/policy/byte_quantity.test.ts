import { expect, test } from "vitest";
import { byteQuantity, quantityText } from "./byte_quantity.ts";

test.each([
  [1024, 1024],
  ["1024", 1024],
  ["10Ki", 10_240],
  ["1.5Mi", 1_572_864],
  ["2k", 2000],
  ["1e3", 1000],
  ["0.1", 1],
  [undefined, undefined],
  ["", undefined],
  ["ki", undefined],
  ["1ki", undefined],
  ["-1", undefined],
])("byteQuantity(%j) is %j", (quantity, bytes) => {
  expect(byteQuantity(quantity)).toBe(bytes);
});

test.each([
  [0, "0"],
  [10_239, "10239"],
  [10_240, "10Ki"],
  [52_428_800, "50Mi"],
  [412 * 2 ** 30, "412Gi"],
])("quantityText(%j) is %j", (bytes, quantity) => {
  expect(quantityText(bytes)).toBe(quantity);
  expect(byteQuantity(quantity)).toBe(bytes);
});
