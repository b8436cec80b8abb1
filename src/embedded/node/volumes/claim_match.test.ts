import { expect, test } from "vitest";
import type { Claim, Volume } from "../objects.ts";
import { isReservedFor, mismatch } from "./claim_match.ts";

const claim = (spec: object = {}): Claim =>
  ({
    metadata: { namespace: "ns", name: "data", uid: "1" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  }) as unknown as Claim;
const volume = (name: string, spec: object = {}): Volume =>
  ({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce", "ReadOnlyMany"], capacity: { storage: "1Gi" }, ...spec },
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
  [{}, { selector: {} }, "claims with a selector are not served here: name the volume"],
])("a volume with %j and a claim with %j: %j", (has, wants, expected) => {
  expect(mismatch(volume("v", has), claim(wants))).toBe(expected);
});
