import { expect, test } from "vitest";
import { UnwritableNames } from "./unwritable_names.ts";

const LONG = "\uFFFD".repeat(100);
const tooLong = (path: string) =>
  `ignored error copy file: error creating file: failed to stat /t/${path}: stat /t/${path}: file name too long on ${path}`;

test.each([tooLong(LONG), tooLong(`sub/on/${LONG}`)])(
  "a name that the record holds is overlooked",
  (line) => {
    const names = new UnwritableNames("restoring", "/t");
    expect(names.overlook(line)).toBe(true);
    expect(names.signal.aborted).toBe(false);
  },
);

test.each([
  ["EngineFailed", tooLong("n".repeat(200))],
  ["EngineFailed", tooLong(`corrupt${"n".repeat(200)}`)],
  [
    "TargetFull",
    `ignored error copy file: error creating file: cannot write data to file "/t/a": write /t/a: no space left on device on ${LONG}`,
  ],
])("anything else is a failure: %s", (errorClass, line) => {
  const names = new UnwritableNames("restoring", "/t");
  expect(names.overlook(line)).toBe(false);
  expect(names.signal.reason).toMatchObject({ class: errorClass });
});

test("what is no failure is kept", () => {
  const names = new UnwritableNames("restoring", "/t");
  expect(
    names.overlook("Restored 3 files, 1 directories and 0 symbolic links (3 B), ignored 2 errors."),
  ).toBe(false);
  expect(names.signal.aborted).toBe(false);
});
