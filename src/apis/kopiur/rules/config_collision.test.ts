import { describe, expect, test } from "vitest";
import { givesWayTo } from "../../../core/rules/identity_collision.ts";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { config } from "../testing/samples.ts";
import { configCollision, possibleConfigCollision } from "./config_identity.ts";

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

describe("configCollision()", () => {
  test("is none with itself", () => {
    expect(configCollision({ config: config(), others: [config()] })).toBeUndefined();
  });

  test("is none with a BackupConfig that is going", () => {
    const others = [other({ deletionTimestamp: "2026-05-24T00:00:00Z" })];
    expect(configCollision({ config: config(), others })).toBeUndefined();
  });

  test("does not tell what other namespaces call theirs", () => {
    const others = [
      other({ namespace: "secretive" }, { identity: { username: "data", hostname: "billing" } }),
    ];
    const why = configCollision({ config: config(), others })?.why;
    expect(why).toMatch(/^a BackupConfig of another namespace records/);
    expect(why).not.toContain("secretive");
  });

  test("is none with a BackupConfig for several namespaces, which records nothing itself, on either side", () => {
    const sources = [
      ...config().spec.sources,
      {
        pvcSelector: { namespaceSelector: { matchNames: ["shop"] } },
        sourcePathStrategy: "PVCName" as const,
      },
    ];
    const reaching = other({}, { sources });
    expect(configCollision({ config: config(), others: [reaching] })).toBeUndefined();
    expect(configCollision({ config: reaching, others: [config()] })).toBeUndefined();
  });

  test("counts the claims that a selector has found", () => {
    const others = [
      config({
        metadata: { name: "other" },
        spec: { ...selecting, identity: { username: "data" } },
        status: resolved,
      }),
    ];
    expect(configCollision({ config: config(), others })).toMatchObject({ reason: "IdentityCollision" });
  });

  test("goes by the templates of the repository", () => {
    const others = [config({ metadata: { name: "other" } })];
    const templates = { usernameTemplate: "everyone" };
    expect(configCollision({ config: config(), others, defaults: templates })?.what).toBe(
      "everyone@billing:/pvc/data is taken",
    );
    expect(configCollision({ config: config(), others })).toBeUndefined();
  });
});

test("a selector of the same identity is worth a word, one of another is not", () => {
  const others = [other({}, selecting)];
  expect(possibleConfigCollision({ config: config(), others })).toBe(
    "BackupConfig other has the same identity: their claims must not overlap",
  );
  expect(
    possibleConfigCollision({ config: config({ metadata: { name: "third" } }), others }),
  ).toBeUndefined();
});

test("of two the later one gives way, and of two of one second only one", () => {
  const later = other({ creationTimestamp: "2026-05-25T00:00:00Z" });
  expect(givesWayTo(later, config())).toBe(true);
  expect(givesWayTo(config(), later)).toBe(false);
  expect(givesWayTo(other(), config())).not.toBe(givesWayTo(config(), other()));
});
