import { expect, test } from "vitest";
import type { SnapshotRow } from "../../../../src/cli/console/contract.ts";
import { before } from "./before.ts";

const row = (backup: string, pvc = "documents"): SnapshotRow => ({
  object: { kind: "Backup", namespace: "shop", name: backup },
  claim: "shop/documents",
  at: "2026-05-24T03:00:00Z",
  api: "kopiur",
  files: { namespace: "shop", backup, pvc },
});
const rows = [row("wednesday"), row("tuesday"), row("monday")];

test.each([
  ["wednesday", "tuesday"],
  ["monday", undefined],
  ["just-made", "wednesday"],
])("before %s comes %s", (backup, expected) => {
  expect(before(rows, { namespace: "shop", backup })?.files?.backup).toBe(expected);
});
