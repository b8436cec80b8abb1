import { expect, test } from "vitest";
import { whyNotStarted } from "../../../core/work/why_waiting.ts";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import { noCredential } from "./no_credential.ts";

const locationWith = (more: object): BackupStorageLocation =>
  ({
    metadata: { name: "default" },
    spec: { provider: "aws", objectStorage: { bucket: "b" }, ...more },
  }) as never;

/** As a kubelet says it. */
const waiting = (secret: string) => {
  const message = `MountVolume.SetUp failed for volume "credentials" : references non-existent secret: secret "${secret}" not found`;
  const state = whyNotStarted({ metadata: {}, status: {} } as never, [
    { type: "Warning", reason: "FailedMount", message },
  ]);
  return { phase: "Working", run: "r", state } as never;
};

test.each([
  ["names no credential", {}, "cloud-credentials", true],
  ["names an empty credential", { credential: { name: "", key: "" } }, "cloud-credentials", true],
  [
    "names that Secret itself",
    { credential: { name: "cloud-credentials", key: "cloud" } },
    "cloud-credentials",
    false,
  ],
  ["names no credential, and another Secret is missing", {}, "velero-repo-credentials", false],
])("noCredential() where a location %s", (_, more, secret, expected) => {
  expect(noCredential(locationWith(more), waiting(secret))).toBe(
    expected
      ? "BackupStorageLocation default names no credential, and there is no Secret cloud-credentials. Movers cannot use web identity or the identity of a node. Put an access key into a Secret, and name that in spec.credential."
      : undefined,
  );
});

test("noCredential() says nothing of a mover that is on its way", () => {
  const task = { phase: "Working", run: "r", state: { phase: "Preparing", suspended: false } } as const;
  expect(noCredential(locationWith({}), task)).toBeUndefined();
});
