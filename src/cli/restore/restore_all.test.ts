import { expect, test } from "vitest";
import { Given } from "../frame/given.ts";
import { refuseUnused } from "./refuse_unused.ts";
import { lineFor, refuseForAll } from "./restore_all.ts";

const volume = { claim: "data", config: "nightly" };
const options = { all: true, "scale-down": true, existing: "Keep", "storage-class": "fast", "as-of": "2h" };

test.each([
  [true, { into: "data", to: undefined, existing: "Keep", "storage-class": undefined, "as-of": "2h" }],
  [false, { into: undefined, to: "data", existing: undefined, "storage-class": "fast", "as-of": "2h" }],
])("the command line of a volume that is there: %s", (isThere, wanted) => {
  const given = lineFor(new Given([], options), volume, isThere);
  expect(given.words).toEqual(["config/nightly"]);
  expect(given.text("pvc")).toBe("data");
  expect(given.flag("scale-down")).toBe(isThere);
  for (const [option, value] of Object.entries(wanted)) expect(given.text(option)).toBe(value);
  expect(() => refuseUnused(given)).not.toThrow();
});

test.each<[words: readonly string[], options: Record<string, string | boolean>]>([
  [["config/data"], {}],
  [[], { into: "data" }],
  [[], { path: "letters" }],
  [[], { undo: true }],
  [[], { "confirm-deletion": "data" }],
])("what is about one volume is refused: %j %j", (words, more) => {
  expect(() => refuseForAll(new Given(words, { all: true, ...more }))).toThrow(
    expect.objectContaining({ code: 2, fix: expect.any(String) }),
  );
});

test.each(["as-of", "existing", "ownership"])("--%s holds for all", (option) => {
  expect(() => refuseForAll(new Given([], { all: true, [option]: "x" }))).not.toThrow();
});
