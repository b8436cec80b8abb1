import { describe, expect, test } from "vitest";
import type { Claim, Volume } from "../objects.ts";
import { existingVolume, isReservedFor, mismatch } from "./claim_match.ts";

const claim = (spec: object = {}): Claim =>
  ({
    metadata: { namespace: "ns", name: "data", uid: "1" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  }) as unknown as Claim;
const volume = (name: string, spec: object = {}, more: object = {}): Volume =>
  ({
    metadata: { name, labels: { tier: "fast" } },
    spec: { accessModes: ["ReadWriteOnce", "ReadOnlyMany"], capacity: { storage: "1Gi" }, ...spec },
    status: { phase: "Available" },
    ...more,
  }) as unknown as Volume;

test.each([
  ["the very claim", { namespace: "ns", name: "data", uid: "1" }, true],
  ["a claim by name", { namespace: "ns", name: "data" }, true],
  ["an earlier claim of the same name", { namespace: "ns", name: "data", uid: "0" }, false],
  ["a claim elsewhere", { namespace: "other", name: "data", uid: "1" }, false],
  ["nobody", undefined, false],
])("a volume reserved for %s: %j is for this claim: %j", (_, claimRef, expected) => {
  expect(isReservedFor(volume("v", { claimRef }), claim())).toBe(expected);
});

test.each([
  [{}, {}, undefined],
  [{ capacity: { storage: "1000Mi" } }, {}, "requested PV is too small"],
  [{ storageClassName: "a" }, {}, "storageClassName does not match"],
  [{ storageClassName: "a" }, { storageClassName: "a" }, undefined],
  [{}, { accessModes: ["ReadWriteMany"] }, "incompatible accessMode"],
  [{ volumeMode: "Block" }, {}, "volumeMode does not match"],
  [{}, { selector: { matchLabels: { tier: "fast" } } }, undefined],
  [{}, { selector: { matchLabels: { tier: "slow" } } }, "selector does not match"],
])("a volume with %j and a claim with %j: %j", (has, wants, expected) => {
  expect(mismatch(volume("v", has), claim(wants))).toBe(expected);
});

describe("of the volumes that exist, a claim takes", () => {
  const reserved = volume("reserved", {
    claimRef: { namespace: "ns", name: "data", uid: "1" },
    capacity: { storage: "9Gi" },
  });
  const small = volume("small", { capacity: { storage: "2Gi" } });
  const large = volume("large", { capacity: { storage: "3Gi" } });

  test.each([
    ["the one reserved for it", [small, reserved], {}, "reserved"],
    ["otherwise the smallest that fits", [large, small], {}, "small"],
    ["none that is not free", [volume("v", {}, { status: { phase: "Released" } })], {}, undefined],
    [
      "none that is going away",
      [{ ...small, metadata: { ...small.metadata, deletionTimestamp: "now" } }],
      {},
      undefined,
    ],
    [
      "none with other contents when it is to be filled",
      [small],
      { dataSourceRef: { kind: "X", name: "x" } },
      undefined,
    ],
    ["the one filled for it", [small, reserved], { dataSourceRef: { kind: "X", name: "x" } }, "reserved"],
  ])("%s", (_, volumes, spec, expected) => {
    expect(existingVolume(volumes, claim(spec))?.metadata.name).toBe(expected);
  });
});
