import { expect, test } from "vitest";
import { durationText, sizeText } from "./size_text.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [200 * 1024 ** 2, "200 MiB"],
  [3 * 1024 ** 4, "3.0 TiB"],
])("sizeText(%d)", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0.4, "0s"],
  [125, "2m5s"],
  [7260, "2h1m"],
])("durationText(%d)", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
