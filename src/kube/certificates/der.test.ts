import { describe, expect, test } from "vitest";
import { bitString, context, integer, octetString, oid, sequence, time } from "./der.ts";

describe("der", () => {
  test.each([
    [0n, "020100"],
    [127n, "02017f"],
    [128n, "02020080"],
    [256n, "02020100"],
    [0xff00n, "020300ff00"],
  ])("integer(%s) is positive and as short as can be", (value, hex) => {
    expect(integer(value).toString("hex")).toBe(hex);
  });

  test.each([
    [0, "0400"],
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [70_000, "0483011170"],
  ])("a content of %i bytes has the shortest length in front", (size, hex) => {
    expect(
      octetString(Buffer.alloc(size))
        .subarray(0, hex.length / 2)
        .toString("hex"),
    ).toBe(hex);
  });

  test("oid() writes large arcs in base 128", () => {
    expect(oid("1.2.840.10045.4.3.2").toString("hex")).toBe("06082a8648ce3d040302");
  });

  test("time() changes its form with the year 2050", () => {
    expect(time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)).toString("latin1")).toBe("\x17\x0d491231235959Z");
    expect(time(Date.UTC(2050, 0, 1)).toString("latin1")).toBe("\x18\x0f20500101000000Z");
  });

  test("bitString() says how many bits are unused", () => {
    expect(bitString(Buffer.from([0x06]), 1).toString("hex")).toBe("03020106");
  });

  test("context() and sequence() nest", () => {
    expect(
      sequence(context(0, integer(2n), "constructed"), context(2, Buffer.from("a"), "primitive")).toString(
        "hex",
      ),
    ).toBe("3008a003020102820161");
  });
});
