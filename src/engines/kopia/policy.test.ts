import { expect, test } from "vitest";
import { dataPolicy, samePolicy, USUAL_POLICY } from "./policy.ts";

test("a source's policy keeps everything, honours nothing in the data, and inherits nothing", () => {
  expect(dataPolicy({})).toMatchObject({
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

test("samePolicy looks past the empty parts that kopia prints, and at nothing else", () => {
  const printed = { ...dataPolicy({}), splitter: {}, osSnapshots: { volumeShadowCopy: {} } };
  expect(samePolicy(printed, dataPolicy({}))).toBe(true);
  expect(samePolicy(printed, dataPolicy({ ignore: { paths: ["*.tmp"] } }))).toBe(false);
});

test("a splitter of its own is in a source's policy", () => {
  expect(dataPolicy({ splitter: "FIXED-1M" })).toMatchObject({ splitter: { algorithm: "FIXED-1M" } });
  expect(samePolicy(dataPolicy({ splitter: "FIXED-1M" }), dataPolicy({}))).toBe(false);
});

test("the usual policy is that of a source without lost+found, and of nothing else", () => {
  expect(samePolicy(USUAL_POLICY, dataPolicy({ ignore: { paths: ["/lost+found"] } }))).toBe(true);
  expect(samePolicy(USUAL_POLICY, dataPolicy({}))).toBe(false);
});
