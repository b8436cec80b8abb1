import { describe, expect, test } from "vitest";
import { config } from "../testing/samples.ts";
import { recipeLimits } from "./recipe_limits.ts";
import { violationText } from "./violation.ts";

const at = (...paths: readonly string[]) =>
  config({
    spec: {
      sources: paths.map((sourcePathOverride, index) => ({
        pvc: { name: `claim-${index}` },
        sourcePathOverride,
        sourcePathStrategy: "PVCName",
      })),
    },
  });

describe("a path that is recorded where the volume is mounted", () => {
  test.each(["/data", "/pvc/data", "/etcetera", "/tmpfiles/x", "/home/app"])("can be %s", (path) => {
    expect(recipeLimits(at(path), "restic")).toEqual([]);
  });

  test.each([
    ["/", "nothing can be mounted there"],
    ["/a:b", "nothing can be mounted there"],
    ["/a/../etc", "nothing can be mounted there"],
    ["/a//b", "nothing can be mounted there"],
    ["/a/", "nothing can be mounted there"],
    ["/proc/1", "/proc is taken in a mover's pod"],
    ["/holdfast/password", "/holdfast is taken in a mover's pod"],
    ["/tmp", "/tmp is taken in a mover's pod"],
  ])("cannot be %s: %s", (path, why) => {
    expect(recipeLimits(at(path), "restic")).toMatchObject([{ why: expect.stringContaining(why) }]);
    expect(recipeLimits(at(path), "kopia")).toEqual([]);
  });

  test("cannot be within another", () => {
    const limits = recipeLimits(at("/data", "/data/sub"), "restic");
    expect(limits).toMatchObject([
      { field: "spec.sources[1]", why: expect.stringContaining("/data of another source is in the way") },
    ]);
  });
});

test("each engine has its own compressors", () => {
  const compressing = (compressor: "max" | "zstd") =>
    config({ spec: { policy: { fidelity: "Full", unreadableFiles: "Fail", compression: { compressor } } } });
  expect(recipeLimits(compressing("zstd"), "kopia")).toEqual([]);
  expect(recipeLimits(compressing("max"), "restic")).toEqual([]);
  expect(recipeLimits(compressing("max"), "kopia")).toMatchObject([
    { what: "kopia cannot compress with max" },
  ]);
});

test("only an engine with a choice of splitters takes one", () => {
  const policy = { fidelity: "Full", unreadableFiles: "Fail", splitter: "FIXED-1M" } as const;
  expect(recipeLimits(config({ spec: { policy } }), "kopia")).toEqual([]);
  expect(recipeLimits(config({ spec: { policy } }), "restic")).toMatchObject([
    { field: "spec.policy.splitter", what: "restic cannot use the splitter FIXED-1M" },
  ]);
});

test("only an engine that reads files with patterns takes their names", () => {
  const others = { cacheDirs: false, ignoreIdenticalSnapshots: false, otherFilesystems: false };
  const ignore = { files: [".kopiaignore"], ...others };
  const policy = { fidelity: "Full", unreadableFiles: "Fail", ignore } as const;
  expect(recipeLimits(config({ spec: { policy } }), "kopia")).toEqual([]);
  expect(recipeLimits(config({ spec: { policy } }), "restic").map(violationText)).toEqual([
    "restic cannot go by files in the data that say what is left out: it does not look for any. List their patterns in policy.ignore.paths, or use a repository of engine kopia.",
  ]);
});
