import fc from "fast-check";
import { expect, test } from "vitest";
import { LineBuffer } from "./line_buffer.ts";

test("LineBuffer gives the same lines, however the bytes are cut, and none that has not ended", () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\n"));
  fc.assert(
    fc.property(fc.array(line), line, fc.integer({ min: 1, max: 9 }), (wanted, unfinished, size) => {
      const bytes = Buffer.from(`${wanted.map((text) => `${text}\n`).join("")}${unfinished}`);
      const buffer = new LineBuffer();
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        for (const text of buffer.add(bytes.subarray(at, at + size))) found.push(text.toString());
      }
      expect(found).toEqual(wanted);
    }),
  );
});
