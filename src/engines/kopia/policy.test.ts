import { expect, test } from "vitest";
import { dataPolicy, samePolicy } from "./policy.ts";

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

test("samePolicy looks past the empty parts that kopia prints, and at nothing else", () => {
  const printed = { ...dataPolicy(OPTIONS), splitter: {}, osSnapshots: { volumeShadowCopy: {} } };
  expect(samePolicy(printed, dataPolicy(OPTIONS))).toBe(true);
  expect(samePolicy(printed, dataPolicy({ ...OPTIONS, ignore: { paths: ["*.tmp"] } }))).toBe(false);
});
