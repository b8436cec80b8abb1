import { expect, test } from "vitest";
import { native } from "../testing/cli_samples.ts";
import { Given } from "./given.ts";
import { printed, printedList } from "./printed.ts";

const shown = async (output: string, print: typeof printed | typeof printedList, what: unknown) => {
  const lines: string[] = [];
  const call = { given: new Given([], { output }), out: (line: string) => lines.push(line) };
  expect(await print(call, what as never)).toBe(true);
  return lines.join("\n");
};

const one = native("Backup", "b", { status: { message: "\u007f\u009b2J" } });

test("an object is printed as it is", async () => {
  expect(JSON.parse(await shown("json", printed, one))).toEqual(one);
});

test.each([[[]], [[one]], [[one, one]]])("a list is a List, however long it is: %j", async (items) => {
  expect(JSON.parse(await shown("json", printedList, items))).toEqual({
    apiVersion: "v1",
    kind: "List",
    items,
  });
});

test("JSON has no character that a terminal takes as an order", async () => {
  const text = await shown("json", printed, one);
  expect(text).toContain('"message": "\\u007f\\u009b2J"');
});

test("names are lines", async () => {
  const name = "backup.kopiur.home-operations.com/b";
  expect(await shown("name", printedList, [one, one])).toBe(`${name}\n${name}`);
  expect(await shown("name", printed, one)).toBe(name);
});
