import { describe, expect, test } from "vitest";
import { gateOf } from "./gates.ts";

const OPEN = { enabled: true, managed: true, hasTier: true, isBorrowed: false };

describe("gateOf()", () => {
  test("is open with the label of the namespace and the three of the PVC", () => {
    expect(gateOf(OPEN, true)).toEqual({ open: true });
  });

  test.each([
    [OPEN, false, 'the namespace has no label pvc-plumber.io/managed-namespace: "true"'],
    [{ ...OPEN, enabled: undefined }, true, 'the PVC has no label pvc-plumber.io/enabled: "true"'],
    [{ ...OPEN, managed: false }, true, 'the PVC has no label pvc-plumber.io/manage-volsync: "true"'],
    [
      { ...OPEN, isBorrowed: true },
      true,
      "pvc-plumber.io/backup-identity is of another namespace, and was not set by someone who may get Backups there: set it again",
    ],
    [{ ...OPEN, hasTier: false }, true, "the PVC has no label pvc-plumber.io/tier"],
  ])("says of %j why it is shut", (pvc, namespace, why) => {
    expect(gateOf(pvc, namespace)).toEqual({ open: false, why });
  });
});
