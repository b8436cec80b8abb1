import { describe, expect, test } from "vitest";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { config } from "../testing/samples.ts";
import { givesWayTo, identityCollision, possibleCollision } from "./identity_collision.ts";

const other = (metadata: Partial<ObjectMeta> = {}, spec: Partial<BackupConfigSpec> = {}) =>
  config({ metadata: { name: "other", ...metadata }, spec: { identity: { username: "data" }, ...spec } });
const selecting = { sources: [{ pvcSelector: {}, sourcePathStrategy: "PVCName" as const }] };
const resolved = {
  resolved: {
    identity: {
      username: "data",
      hostname: "billing",
      sources: [{ pvc: "billing/data", sourcePath: "/pvc/data" }],
    },
  },
};

describe("identityCollision()", () => {
  test("is none with itself", () => {
    expect(identityCollision({ config: config(), others: [config()] })).toBeUndefined();
  });

  test("is none with a recipe that is going", () => {
    const others = [other({ deletionTimestamp: "2026-05-24T00:00:00Z" })];
    expect(identityCollision({ config: config(), others })).toBeUndefined();
  });

  test("does not tell what other namespaces call their recipes", () => {
    const others = [
      other({ namespace: "secretive" }, { identity: { username: "data", hostname: "billing" } }),
    ];
    const why = identityCollision({ config: config(), others })?.why;
    expect(why).toMatch(/^a BackupConfig of another namespace records/);
    expect(why).not.toContain("secretive");
  });

  test("is none with a recipe for several namespaces, which records nothing itself, on either side", () => {
    const sources = [
      ...config().spec.sources,
      {
        pvcSelector: { namespaceSelector: { matchNames: ["shop"] } },
        sourcePathStrategy: "PVCName" as const,
      },
    ];
    const reaching = other({}, { sources });
    expect(identityCollision({ config: config(), others: [reaching] })).toBeUndefined();
    expect(identityCollision({ config: reaching, others: [config()] })).toBeUndefined();
  });

  test("counts the claims that a selector has found", () => {
    const others = [
      config({
        metadata: { name: "other" },
        spec: { ...selecting, identity: { username: "data" } },
        status: resolved,
      }),
    ];
    expect(identityCollision({ config: config(), others })).toMatchObject({ reason: "IdentityCollision" });
  });

  test("goes by the templates of the repository", () => {
    const others = [config({ metadata: { name: "other" } })];
    const templates = { usernameTemplate: "everyone" };
    expect(identityCollision({ config: config(), others, defaults: templates })?.what).toBe(
      "everyone@billing:/pvc/data is taken",
    );
    expect(identityCollision({ config: config(), others })).toBeUndefined();
  });
});

test("a selector of the same identity is worth a word, one of another is not", () => {
  const others = [other({}, selecting)];
  expect(possibleCollision({ config: config(), others })).toBe(
    "BackupConfig other has the same identity: their claims must not overlap",
  );
  expect(possibleCollision({ config: config({ metadata: { name: "third" } }), others })).toBeUndefined();
});

test("of two recipes the later one gives way, and of two of one second only one", () => {
  const later = other({ creationTimestamp: "2026-05-25T00:00:00Z" });
  expect(givesWayTo(later, config())).toBe(true);
  expect(givesWayTo(config(), later)).toBe(false);
  expect(givesWayTo(other(), config())).not.toBe(givesWayTo(config(), other()));
});
