import { describe, expect, test } from "vitest";
import { SettingsReader } from "./settings_reader.ts";

const KNOWN = ["a", "b"] as const;

describe("SettingsReader", () => {
  test("reads each field as what it is, and what is empty as not set", () => {
    const given = { text: "t", texts: ["x"], word: "b", number: 3, duration: "2m", part: { text: "inner" } };
    const read = new SettingsReader("api", { ...given, empty: "", nothing: null });
    expect(read.text("text")).toBe("t");
    expect(read.texts("texts")).toEqual(["x"]);
    expect(read.oneOf("word", KNOWN)).toBe("b");
    expect(read.number("number", 3)).toBe(3);
    expect(read.duration("duration")).toBe(120_000);
    expect(read.part("part").text("text")).toBe("inner");
    expect([read.text("empty"), read.text("nothing"), read.number("absent", 1)]).toEqual(
      Array(3).fill(undefined),
    );
    expect(() => read.end()).not.toThrow();
  });

  test.each<[(read: SettingsReader) => unknown, string]>([
    [(read) => read.text("number"), "api.number is 7: it must be a text"],
    [(read) => read.number("number", 6), "api.number is 7: it must be a whole number from 0 to 6"],
    [(read) => read.number("text", 6), 'api.text is "t": it must be a whole number from 0 to 6'],
    [(read) => read.oneOf("text", KNOWN), 'api.text is "t": it must be one of a, b'],
    [(read) => read.duration("text"), 'api.text: "t" is no duration; write one such as 1h30m'],
    [(read) => read.texts("text"), 'api.text is "t": it must be a list of texts'],
    [(read) => read.part("text"), 'api.text is "t": it must be an object'],
    [(read) => read.part("part").end(), "api.part.inner is no setting of this API"],
  ])("refuses %s", (look, message) => {
    const read = new SettingsReader("api", { text: "t", number: 7, part: { inner: 1 } });
    expect(() => look(read)).toThrow(message);
  });
});
