import { describe, expect, test } from "vitest";
import type { EngineName } from "../../wire/capabilities.ts";
import { violationText } from "../reconcile/violation.ts";
import { engineLimits, mountLimits } from "./engine_limits.ts";

const limits = (engine: EngineName, ...paths: readonly string[]) =>
  mountLimits(
    paths.map((path, index) => ({ path, field: `sources[${index}]` })),
    engine,
    "path",
  );

describe("a path that is recorded where the volume is mounted", () => {
  test.each(["/data", "/pvc/data", "/etcetera", "/tmpfiles/x", "/home/app"])("can be %s", (path) => {
    expect(limits("restic", path)).toEqual([]);
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
    expect(limits("restic", path)).toMatchObject([{ why: expect.stringContaining(why) }]);
    expect(limits("kopia", path)).toEqual([]);
  });

  test("cannot be within another", () => {
    expect(limits("restic", "/data", "/data/sub")).toMatchObject([
      { field: "sources[1]", why: expect.stringContaining("/data of another source is in the way") },
    ]);
  });
});

test("each engine has its own compressors", () => {
  const compressing = (compressor: "max" | "zstd") => ({ compression: { compressor } });
  expect(engineLimits(compressing("zstd"), "kopia")).toEqual([]);
  expect(engineLimits(compressing("max"), "restic")).toEqual([]);
  expect(engineLimits(compressing("max"), "kopia")).toMatchObject([
    { what: "kopia cannot compress with max" },
  ]);
});

test("only an engine with a choice of splitters takes one", () => {
  const policy = { splitter: "FIXED-1M" };
  expect(engineLimits(policy, "kopia")).toEqual([]);
  expect(engineLimits(policy, "restic")).toMatchObject([
    { field: "policy.splitter", what: "restic cannot use the splitter FIXED-1M" },
  ]);
});

test("only an engine that reads files with patterns takes their names", () => {
  const policy = { ignore: { files: [".kopiaignore"] } };
  expect(engineLimits(policy, "kopia")).toEqual([]);
  expect(engineLimits(policy, "restic").map(violationText)).toEqual([
    "restic cannot go by files in the data that say what is left out: it does not look for any. List their patterns in policy.ignore.paths, or use a repository of engine kopia.",
  ]);
});
