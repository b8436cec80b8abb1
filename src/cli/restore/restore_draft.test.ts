import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { parse } from "../frame/parse.ts";
import { refuseBadName } from "../frame/refuse_bad_name.ts";
import { NOW } from "../testing/cli_samples.ts";
import { type ClaimLike, restoreDraft } from "./restore_draft.ts";

const drafted = (line: string, capacity?: string, more: ClaimLike = {}) => {
  const asked = parse(["restore", ...line.split(" ")], COMMANDS);
  if (!("given" in asked)) throw new Error("it is a command");
  return restoreDraft(asked.given, {
    namespace: "home",
    name: "r",
    like: { capacity, ...more },
    now: NOW,
  }).spec;
};

describe("restoreDraft()", () => {
  test.each<[line: string, spec: object]>([
    [
      "backup/b --to new",
      { source: { backupRef: { name: "b" } }, target: { pvc: { name: "new", capacity: "1Gi" } } },
    ],
    ["b --into old --no-backup-first", { target: { pvcRef: { name: "old", backupFirst: false } } }],
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
      "b --into old --path /letters//anna.txt --to-path /",
      { options: { path: "letters/anna.txt", targetPath: "/" } },
    ],
    ["b --into old --path / --to-path /rescued/", { options: { path: "/", targetPath: "rescued" } }],
    [
      "b --to new --capacity 9Gi --storage-class fast",
      { target: { pvc: { capacity: "9Gi", storageClassName: "fast" } } },
    ],
  ])("%s", (line, spec) => {
    expect(drafted(line, "1Gi")).toMatchObject(spec);
  });

  test.each(["path", "to-path"])("a --%s that leads upwards is a wrong command line", (option) => {
    expect(() => drafted(`b --into old --${option} letters/../../etc`)).toThrow(
      "could lead out of the volume",
    );
  });

  test("a new claim is like the one that its data is of was, unless somebody says otherwise", () => {
    const like = { storageClassName: "slow", accessModes: ["ReadWriteMany"] };
    expect(drafted("b --to new", "5Gi", like)).toMatchObject({
      target: { pvc: { capacity: "5Gi", storageClassName: "slow", accessModes: ["ReadWriteMany"] } },
    });
    const line = "b --to new --capacity 9Gi --storage-class fast --access-mode ReadWriteOnce";
    expect(drafted(line, "5Gi", like)).toMatchObject({
      target: { pvc: { capacity: "9Gi", storageClassName: "fast", accessModes: ["ReadWriteOnce"] } },
    });
  });

  test("a moment may be said as a time that has passed", () => {
    expect(drafted("config/c --into a --as-of 2h")).toMatchObject({
      source: { fromConfig: { asOf: new Date(NOW - 7_200_000).toISOString().replace(".000", "") } },
    });
  });

  test.each([
    ["b --to new --capacity lots", '--capacity is "lots", which is no size'],
    ["config/c --into a --as-of soon", '--as-of is "soon", which is no moment'],
  ])("%s is a wrong command line", (line, message) => {
    expect(() => drafted(line)).toThrow(message);
  });

  test.each(["X_Y", "-a", "a/b", ""])("no object can be called %j", (name) => {
    expect(() => refuseBadName("to", name)).toThrow("no object can have that name");
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
