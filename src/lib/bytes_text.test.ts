import { expect, test } from "vitest";
import { bytesText } from "./bytes_text.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [5.5 * 2 ** 20, "5.5 MiB"],
  [2 ** 60, "1024.0 PiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
