import { expect, test } from "vitest";
import { meta, readyNas, repository } from "../testing/samples.ts";
import { volumeProblem } from "./volume_problem.ts";

const claim = (more = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta("store", more),
});
const S3 = { spec: { backend: { s3: { bucket: "b", addressing: "Auto" } } } } as const;

test.each([
  ["is new, and its claim is not there yet", repository(), "absent", "transient", "VolumeMissing"],
  ["was there, and its claim is gone", readyNas(), "absent", "structural", "VolumeMissing"],
  [
    "has a claim that is going",
    readyNas(),
    claim({ deletionTimestamp: "now" }),
    "structural",
    "VolumeBeingDeleted",
  ],
  ["has its claim", readyNas(), claim(), undefined, undefined],
  ["has a claim of which nothing is known yet", readyNas(), "unknown", undefined, undefined],
  ["lies elsewhere", readyNas(S3), "absent", undefined, undefined],
] as const)("a repository that %s", (_, object, found, kind, reason) => {
  const problem = volumeProblem(object, found);
  expect(problem?.class).toBe(kind);
  expect(problem?.reason).toBe(reason);
});

test("what is gone is named, with what to do", () => {
  expect(volumeProblem(readyNas(), "absent")?.message).toMatch(
    /^PVC store, which holds the repository, does not exist: none of its backups can be read\. Create the PVC again, bound to/,
  );
});
