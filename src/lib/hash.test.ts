import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint, hmac, sha256, share } from "./hash.ts";

describe("fingerprint()", () => {
  test("has the length asked for, in digits and lower-case letters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), (text, length) => {
        expect(fingerprint(text, length)).toMatch(new RegExp(`^[0-9a-z]{${length}}$`));
      }),
    );
  });

  test("is what it always was: names in clusters depend on it", () => {
    expect(fingerprint("holdfast")).toBe("o0w9u06e");
  });

  test("differs for different texts", () => {
    const marks = Array.from({ length: 2000 }, (_, i) => fingerprint(`text ${i}`));
    expect(new Set(marks).size).toBe(2000);
  });
});

describe("sha256()", () => {
  test("is the standard's, of text as UTF-8 and of bytes", () => {
    const known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(sha256("abc")).toBe(known);
    expect(sha256(new Uint8Array([97, 98, 99]))).toBe(known);
  });
});

test("share() is a number from 0 to 1, always the same for a text, and different for different ones", () => {
  const shares = Array.from({ length: 100 }, (_, i) => share(`text ${i}`));
  expect(shares.every((one) => one >= 0 && one < 1)).toBe(true);
  expect(new Set(shares).size).toBe(100);
  expect(share("text 7")).toBe(shares[7]);
});

test("hmac() is that of RFC 4231", () => {
  expect(hmac("Jefe", "what do ya want for nothing?")).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});
