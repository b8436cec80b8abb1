import { expect, test } from "vitest";
import { Unreadable } from "./unreadable.ts";

test("a file that is named twice could not be read once", () => {
  const unreadable = new Unreadable();
  for (const name of ["/a", "/b", "/a"]) unreadable.add(name);
  expect(unreadable.count).toBe(2);
  expect(unreadable.first(20)).toEqual(["/a", "/b"]);
});

test("of a million files all are counted, and not all names are kept", () => {
  const unreadable = new Unreadable();
  for (let i = 0; i < 1_000_000; i++) unreadable.add(`/${i}`);
  unreadable.add("/0");
  expect(unreadable.count).toBe(1_000_000);
  expect(unreadable.first(2_000_000)).toHaveLength(10_000);
});
