import { describe, expect, test } from "vitest";
import { KnownPolicies, missingPolicies, parsePolicies } from "./known_policies.ts";

describe("KnownPolicies", () => {
  test("are held for a minute, and then have to be read again", () => {
    const known = new KnownPolicies({ a: { x: 1 } }, 1000);
    expect(known.at(60_999)).toEqual({ a: { x: 1 } });
    expect(known.at(61_000)).toBeUndefined();
    known.replace({ b: {} }, 61_000);
    expect(known.at(61_001)).toEqual({ b: {} });
  });

  test("follow what was written and removed", () => {
    const known = new KnownPolicies({ a: { x: 1 }, b: {} }, 0);
    known.add({ a: { x: 2 }, c: {} });
    known.remove("b");
    expect(known.at(0)).toEqual({ a: { x: 2 }, c: {} });
  });
});

test("missingPolicies are those that are not held, and those that differ", () => {
  const held = { same: { x: 1, empty: {} }, other: { x: 1 } };
  expect(missingPolicies(held, { same: { x: 1 }, other: { x: 2 }, none: {} })).toEqual({
    other: { x: 2 },
    none: {},
  });
});

test("parsePolicies refuses what is not an object of policies", () => {
  expect(parsePolicies("opening", '{"(global)":{"x":1}}')).toEqual({ "(global)": { x: 1 } });
  expect(() => parsePolicies("opening", "[1]")).toThrow("kopia did not print its policies");
});
