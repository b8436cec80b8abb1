import { expect, test } from "vitest";
import type { ShownObject } from "../../core/view/shown_object.ts";
import { describedLines } from "./described_lines.ts";

const NOW = Date.parse("2026-05-24T02:13:00Z");

test("an object is told field by field, with sizes and times in words, and without what only the operator needs", () => {
  const object = {
    apiVersion: "example.org/v1",
    kind: "Backup",
    metadata: {
      namespace: "billing",
      name: "first",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: "2026-05-24T02:12:00Z",
      annotations: { "example.org/hold": "true" },
    },
    spec: { configRef: { name: "documents" }, tags: [] },
    status: {
      phase: "Succeeded",
      snapshots: [{ pvc: "billing/documents", sizeBytes: 200020, paths: ["a", "b"] }],
      timing: { endTime: "2026-05-24T02:12:30Z" },
      work: { snapshot: {} },
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Done",
          message: "It is.",
          lastTransitionTime: "2026-05-24T02:12:30Z",
        },
      ],
    },
  } as unknown as ShownObject;
  expect(describedLines(object, NOW)).toEqual([
    "Backup first in namespace billing: Succeeded",
    "created: 2026-05-24T02:12:00Z (1m ago)",
    "example.org/hold: true",
    "",
    "spec:",
    "  configRef:",
    "    name: documents",
    "",
    "status:",
    "  phase: Succeeded",
    "  snapshots[0]:",
    "    pvc: billing/documents",
    "    sizeBytes: 200020 (195.3 KiB)",
    "    paths: a, b",
    "  timing:",
    "    endTime: 2026-05-24T02:12:30Z (30s ago)",
    "",
    "conditions:",
    "  Ready: True (Done, 30s ago): It is.",
  ]);
});
