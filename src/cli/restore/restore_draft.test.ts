import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { parse } from "../frame/parse.ts";
import { restoreDraft } from "./restore_draft.ts";

const drafted = (line: string, capacity?: string) => {
  const asked = parse(["restore", ...line.split(" ")], COMMANDS);
  if (!("given" in asked)) throw new Error("it is a command");
  return restoreDraft(asked.given, { namespace: "home", name: "r", capacity }).spec;
};

describe("restoreDraft()", () => {
  test.each<[line: string, spec: object]>([
    [
      "backup/b --to new",
      { source: { backupRef: { name: "b" } }, target: { pvc: { name: "new", capacity: "1Gi" } } },
    ],
    ["b --into old --scale-down", { target: { pvcRef: { name: "old", scaleDownWorkloads: true } } }],
    ["config/c --for-claims --offset 2", { source: { fromConfig: { name: "c", offset: 2 } } }],
    [
      "config/c --to new --as-of 2026-01-01T00:00:00Z --pvc data --from-namespace other",
      {
        source: { fromConfig: { name: "c", pvc: "data", namespace: "other", asOf: "2026-01-01T00:00:00Z" } },
      },
    ],
    ["config/c --into old --pvc /data", { source: { fromConfig: { name: "c", sourcePath: "/data" } } }],
    ["b --into old --pvc other/data", { source: { backupRef: { name: "b", pvc: "other/data" } } }],
    [
      "user@host:/data --to new --repository clusterrepository/shared --snapshot k1",
      {
        repository: { kind: "ClusterRepository", name: "shared" },
        source: { identity: { username: "user", hostname: "host", sourcePath: "/data", snapshotID: "k1" } },
      },
    ],
    [
      "user@host:/data --into old --repository nas --from-namespace other",
      { repository: { kind: "Repository", name: "nas", namespace: "other" } },
    ],
    [
      "b --into old --existing Overwrite --delete-extra --path a/b --ownership Skip --privileged",
      {
        options: { existingFiles: "Overwrite", enableFileDeletion: true, path: "a/b", ownership: "Skip" },
        mover: { privilegedMode: true },
      },
    ],
    [
      "b --to new --capacity 9Gi --storage-class fast",
      { target: { pvc: { capacity: "9Gi", storageClassName: "fast" } } },
    ],
  ])("%s", (line, spec) => {
    expect(drafted(line, "1Gi")).toMatchObject(spec);
  });

  test("data that somebody asks for by hand is never replaced by an empty volume", () => {
    expect(drafted("config/c --to new", "1Gi")).toMatchObject({ policy: { onMissingSnapshot: "Fail" } });
    expect(drafted("config/c --for-claims")).not.toHaveProperty("policy");
    expect(drafted("config/c --for-claims")).not.toHaveProperty("target");
  });

  test.each([
    ["backup/b", "where the data goes must be said"],
    ["backup/b --to a --into b", "where the data goes must be said"],
    ["backup/b --to a", "how large the new claim must be"],
    [
      "u@h:/d --to a --capacity 1Gi --repository clusterrepository/r --from-namespace x",
      "--from-namespace has no effect",
    ],
    ["config/c --for-claims --offset x", "--offset is"],
    ["user@host:/data --to a", "in which repository"],
    ["schedule/s --to a", "names nothing"],
  ])("%s does not say enough", (line, what) => {
    expect(() => drafted(line)).toThrow(
      expect.objectContaining({ code: 2, message: expect.stringContaining(what) }),
    );
  });
});
