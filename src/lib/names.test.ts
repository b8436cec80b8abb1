import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distinctName, labelValue, MAX_NAME, objectName } from "./names.ts";

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** Texts of all sorts, and many that are nearly names. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.string({ unit: fc.constantFrom("a", "B", "-", ".", "_", "0", "/", " "), maxLength: 100 }),
);

describe("objectName()", () => {
  test("is always a DNS label", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(objectName(...parts)).toMatch(DNS_LABEL);
      }),
    );
  });

  test("is the text itself where that is a name", () => {
    fc.assert(
      fc.property(fc.stringMatching(DNS_LABEL), (name) => {
        expect(objectName(name)).toBe(name);
      }),
    );
    expect(objectName("kopia", "data-0", "full")).toBe("kopia-data-0-full");
    expect(objectName("a".repeat(MAX_NAME))).toBe("a".repeat(MAX_NAME));
  });

  test("gives different texts different names", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(objectName(a) === objectName(b)).toBe(a === b);
      }),
    );
    const alike = [
      "a.b",
      "a_b",
      "a/b",
      "A-B",
      "a-b",
      "a-b-",
      "-a-b",
      `${"a".repeat(70)}b`,
      `${"a".repeat(70)}c`,
    ];
    expect(new Set(alike.map((one) => objectName(one))).size).toBe(alike.length);
  });

  test("keeps what people can read at the front", () => {
    expect(objectName("My Database", "data")).toMatch(/^my-database-data-[a-z0-9]{8}$/);
    expect(objectName("x".repeat(80))).toMatch(/^x{54}-[a-z0-9]{8}$/);
    expect(objectName(`${"x".repeat(53)}-${"y".repeat(20)}`)).toMatch(/^x{53}-[a-z0-9]{8}$/);
    expect(objectName("—")).toMatch(/^x-[a-z0-9]{8}$/);
    expect(objectName("")).toMatch(/^x-[a-z0-9]{8}$/);
  });
});

describe("labelValue()", () => {
  test("is always a label value", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(labelValue(value)).toMatch(LABEL_VALUE);
      }),
    );
  });

  test("is the text itself where that is a label value", () => {
    fc.assert(
      fc.property(fc.stringMatching(LABEL_VALUE), (value) => {
        expect(labelValue(value)).toBe(value);
      }),
    );
    expect(labelValue("")).toBe("");
  });

  test("gives different texts different values", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(labelValue(a) === labelValue(b)).toBe(a === b);
      }),
    );
    expect(labelValue("home/data")).toMatch(/^home-data-[a-z0-9]{8}$/);
  });
});

test("distinctName() tells its parts apart", () => {
  expect(distinctName("a", "b")).toMatch(/^a-b-[a-z0-9]{5}$/);
  expect(distinctName("a-b", "c")).not.toBe(distinctName("a", "b-c"));
  const long = "a".repeat(MAX_NAME);
  expect(distinctName(`${long}-b`, "c")).not.toBe(distinctName(long, "b-c"));
});
