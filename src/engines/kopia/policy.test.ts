import { expect, test } from "vitest";
import { dataPolicy, samePolicies } from "./policy.ts";

const OPTIONS = { source: "/s", identity: { username: "u", hostname: "h", path: "/p" }, run: "r" };

test("a source's policy keeps everything, honours nothing in the data, and inherits nothing", () => {
  expect(dataPolicy(OPTIONS)).toMatchObject({
    noParent: true,
    retention: { keepLatest: 2_147_483_647 },
    files: {
      ignore: [],
      ignoreDotFiles: [],
      ignoreCacheDirs: false,
      noParentIgnore: true,
      noParentDotFiles: true,
    },
    errorHandling: { ignoreFileErrors: false, ignoreDirectoryErrors: false },
  });
});

test("samePolicies looks past the empty parts that kopia prints, and at nothing else", () => {
  const wanted = { "u@h:/p": dataPolicy(OPTIONS) };
  const printed = {
    "u@h:/p": { ...dataPolicy(OPTIONS), splitter: {}, osSnapshots: { volumeShadowCopy: {} } },
  };
  expect(samePolicies(printed, wanted)).toBe(true);
  const changed = { "u@h:/p": dataPolicy({ ...OPTIONS, ignore: { paths: ["*.tmp"] } }) };
  expect(samePolicies(printed, changed)).toBe(false);
});
