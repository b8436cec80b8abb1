import fc from "fast-check";
import { expect, test } from "vitest";
import { lines } from "./lines.ts";

async function split(bytes: Uint8Array, size: number, limit?: number): Promise<readonly string[]> {
  const chunks = async function* () {
    for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
  };
  const found: string[] = [];
  for await (const line of lines(chunks(), limit)) found.push(line);
  return found;
}

test("lines() yields the same lines, however the bytes are cut", async () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 5 }), async (wanted, size) => {
      const text = wanted.map((part) => `${part}\n`).join("");
      expect(await split(Buffer.from(text), size)).toEqual(wanted);
    }),
  );
});

test("lines() yields a last line without an end", async () => {
  expect(await split(Buffer.from("a\r\nb"), 2)).toEqual(["a", "b"]);
});

test("lines() cuts a line that is too long, and goes on with the next", async () => {
  expect(await split(Buffer.from("123456\nx\n"), 2, 3)).toEqual(["123", "x"]);
});
