import { expect, test } from "vitest";
import { judgeVersion } from "./judge_version.ts";

const of = (minor: number, major = 1) => ({ major, minor, text: `v${major}.${minor}.0` });

test.each([
  [of(29), "error", "v1.29.0 is too old"],
  [of(30), "warning", "not tested with Kubernetes v1.30.0"],
  [of(33), "warning", "not tested with Kubernetes v1.33.0"],
  [of(36), "warning", "not tested with Kubernetes v1.36.0"],
  [of(37), "ok", "v1.37.0"],
  [of(38), "warning", "not tested with Kubernetes v1.38.0"],
  [of(40), "warning", "not tested with Kubernetes v1.40.0"],
  [of(0, 2), "warning", "not tested with Kubernetes v2.0.0"],
  [undefined, "warning", "does not say"],
])("of %j it says %s", (version, level, text) => {
  expect(judgeVersion(version)).toMatchObject({ level, what: expect.stringContaining(text) });
});

test("it names what it is tested with", () => {
  expect(judgeVersion(of(33))).toMatchObject({ why: "It is tested with 1.37." });
});
