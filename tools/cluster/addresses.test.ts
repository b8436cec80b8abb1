import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressesOf, chooseAddresses, overlaps } from "./addresses.ts";

const octet = fc.integer({ min: 0, max: 255 });
const range = fc
  .tuple(octet, octet, octet, octet, fc.integer({ min: 0, max: 32 }))
  .map(([a, b, c, d, bits]) => `${a}.${b}.${c}.${d}/${bits}`);

describe("overlaps()", () => {
  test.each([
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0/16", false],
    ["10.0.0.0/8", "10.200.0.0/16", true],
    ["0.0.0.0/0", "192.168.1.1", true],
    ["127.0.0.0/9", "127.128.0.0/9", false],
  ])("%s and %s: %s", (a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected);
  });

  test("does not depend on the order, and every range overlaps itself", () => {
    fc.assert(
      fc.property(
        range,
        range,
        (a, b) => overlaps(a, b) === overlaps(b, a) && overlaps(a, a) && overlaps(b, b),
      ),
    );
  });

  test("refuses what is no IPv4 range", () => {
    expect(() => overlaps("10.1.0.0/33", "10.0.0.0/8")).toThrow("not an IPv4 range");
    expect(() => overlaps("default", "10.0.0.0/8")).toThrow("not an IPv4 range");
  });
});

describe("chooseAddresses()", () => {
  test("overlaps nothing that is in use, whatever that is", () => {
    const used = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 255 });
    fc.assert(
      fc.property(used, octet, (seconds, seed) => {
        const inUse = seconds.map((second) => `10.${second}.7.0/24`);
        const chosen = chooseAddresses(inUse, seed);
        return inUse.every((taken) => !overlaps(taken, chosen.range));
      }),
    );
  });

  test("says so when nothing is free", () => {
    expect(() => chooseAddresses(["10.0.0.0/8"], 3)).toThrow("take a cluster down");
  });

  test("keeps host, pods and services apart, within the range", () => {
    const { range, host, node, pods, services, firstService } = addressesOf(77);
    for (const part of [host, node, pods, services, firstService]) expect(overlaps(part, range)).toBe(true);
    expect(overlaps(pods, services)).toBe(false);
    for (const address of [host, node]) {
      expect(overlaps(address, pods)).toBe(false);
      expect(overlaps(address, services)).toBe(false);
    }
    expect(overlaps(firstService, services)).toBe(true);
  });
});
