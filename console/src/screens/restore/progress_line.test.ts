import { expect, test } from "vitest";
import { progressBar } from "../../../../src/cli/progress_bar.ts";
import { progressFrom } from "./progress_line.ts";

const GIB = 2 ** 30;

test.each([
  [
    { bytes: GIB, files: 30, estimatedBytes: 4 * GIB },
    2 ** 20,
    { percent: 25, amount: "1.0 GiB in 30 files of 4.0 GiB", rate: "1.0 MiB/s", left: "51m" },
  ],
  [{ bytes: GIB, files: 1 }, 2 ** 20, { amount: "1.0 GiB in 1 file", rate: "1.0 MiB/s" }],
  [{ bytes: 10 }, undefined, { amount: "10 B" }],
  [{ bytes: 10, estimatedBytes: 10 }, undefined, { percent: 100, amount: "10 B of 10 B" }],
])("reads what the command line writes of %j", (progress, perSecond, expected) => {
  expect(progressFrom(`  ${progressBar(progress, { perSecond, room: 90 })}`)).toEqual(expected);
});
