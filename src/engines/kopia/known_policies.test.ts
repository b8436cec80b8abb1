import { describe, expect, test } from "vitest";
import { KnownPolicies, missingPolicies, parsePolicies, unsettledPolicies } from "./known_policies.ts";

describe("KnownPolicies", () => {
  test("are held for a minute, and then have to be read again", () => {
    const known = new KnownPolicies({ a: { x: 1 } }, 1000);
    expect(known.at(60_999)).toEqual({ a: { x: 1 } });
    expect(known.at(61_000)).toBeUndefined();
    known.replace({ b: {} }, 61_000);
    expect(known.at(61_001)).toEqual({ b: {} });
  });

  test("are to be read when they were not read yet", () => {
    expect(KnownPolicies.unread().at(0)).toBeUndefined();
  });

  test("follow what was written", () => {
    const known = new KnownPolicies({ a: { x: 1 }, b: {} }, 0);
    known.add({ a: { x: 2 }, c: {} });
    expect(known.at(0)).toEqual({ a: { x: 2 }, b: {}, c: {} });
  });
});

test("missingPolicies are those that are not held, and those that differ", () => {
  const held = { same: { x: 1, empty: {} }, other: { x: 1 } };
  expect(missingPolicies(held, { same: { x: 1 }, other: { x: 2 }, none: {} })).toEqual({
    other: { x: 2 },
    none: {},
  });
});

describe("unsettledPolicies", () => {
  const usual = { keep: "all" };
  const wanted = { "app@shop:/data": usual };
  const global = { "(global)": usual };

  test("are none when the identity inherits just what is wanted", () => {
    expect(unsettledPolicies(global, wanted)).toEqual({});
    expect(unsettledPolicies({ ...global, "other@shop:/data": {}, "app@elsewhere": {} }, wanted)).toEqual({});
  });

  test("are none when its own policy says no more than kopia puts there by itself", () => {
    const byKopia = { "app@shop:/data": { scheduling: { manual: true }, files: {} } };
    expect(unsettledPolicies({ ...global, ...byKopia }, wanted)).toEqual({});
  });

  test.each([
    ["nothing is inherited", {}],
    ["something else is inherited", { "(global)": { keep: "ten" } }],
    ["its own policy says something else", { ...global, "app@shop:/data": { keep: "ten" } }],
    ["a folder above has one", { ...global, "app@shop:/": {} }],
    ["its user has one", { ...global, "app@shop": {} }],
    ["its host has one", { ...global, "@shop": {} }],
  ])("are those wanted when %s", (_, held) => {
    expect(unsettledPolicies(held, wanted)).toEqual(wanted);
  });
});

test("parsePolicies refuses what is not an object of policies", () => {
  expect(parsePolicies("opening", '{"(global)":{"x":1}}')).toEqual({ "(global)": { x: 1 } });
  expect(() => parsePolicies("opening", "[1]")).toThrow("kopia did not print its policies");
});
