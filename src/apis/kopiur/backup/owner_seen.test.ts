import { describe, expect, test } from "vitest";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { backup, config, readyNas, SETTINGS } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { learnsOwner, withOwnerSeen } from "./owner_seen.ts";

const ROOT = { uid: 0, gid: 0 };
const APP = { uid: 1000, gid: 2000 };
const OTHER = { uid: 1001, gid: 2000 };
const auth = { secretRef: { name: "creds" } };
const inS3 = readyNas({ spec: { backend: { s3: { bucket: "b", addressing: "Auto", auth } } } });

function recipe(more: Partial<Frozen> = {}, mover?: Partial<MoverSpec>): Frozen {
  const { policy, failurePolicy } = config().spec;
  return {
    repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-0" },
    engine: "kopia",
    deletionPolicy: "Delete",
    sources: [{ pvc: "billing/data", sourcePath: "/data" }],
    identity: { username: "u", hostname: "h" },
    recipe: { policy, failurePolicy, ...(mover ? { mover: mover as MoverSpec } : {}) },
    ...more,
  };
}

function unreadable(owner?: Owner): EngineFailure {
  return { class: "SourceUnreadable", message: "m", remedy: "r", ...(owner ? { owner } : {}) };
}

describe("after an attempt that could not read all", () => {
  const learns = (failure: EngineFailure, frozen = recipe(), repository = inS3) =>
    learnsOwner(
      { backup: backup(), frozen, repository, settings: SETTINGS, namespace: "billing", consent: false },
      failure,
    );

  test("the next one as the owner comes at once", () => {
    expect(learns(unreadable(APP))).toBe(true);
  });

  test.each<[string, boolean]>([
    ["nobody is the only owner", learns(unreadable())],
    ["only root could read it", learns(unreadable(ROOT))],
    ["Kubernetes knows no such user", learns(unreadable({ uid: 2 ** 31, gid: 0 }))],
    ["an owner was known before", learns(unreadable(OTHER), recipe({ owner: APP }))],
    ["the repository is one user's", learns(unreadable(APP), recipe(), readyNas())],
    ["the recipe names a user", learns(unreadable(APP), recipe({}, { securityContext: { runAsUser: 7 } }))],
  ])("nothing else is tried where %s", (_, learnt) => {
    expect(learnt).toBe(false);
  });
});

describe("the owner that an attempt has seen", () => {
  const ownerAfter = (lastFailure?: EngineFailure, frozen = recipe(), repository = inS3) =>
    withOwnerSeen(frozen, lastFailure ? { lastFailure } : {}, { repository }).owner;

  test("is as whom the next one is made", () => {
    expect(ownerAfter(unreadable(APP))).toEqual(APP);
    expect(ownerAfter(unreadable(OTHER), recipe({ owner: APP }))).toEqual(OTHER);
  });

  test("stays when a later one fails for something else", () => {
    expect(ownerAfter(unreadable(), recipe({ owner: APP }))).toEqual(APP);
    expect(ownerAfter(unreadable(ROOT), recipe({ owner: APP }))).toEqual(APP);
    expect(ownerAfter(undefined, recipe({ owner: APP }))).toEqual(APP);
  });

  test("counts for nothing with a repository on a volume, which is one user's", () => {
    expect(ownerAfter(unreadable(APP), recipe(), readyNas())).toBeUndefined();
  });
});
