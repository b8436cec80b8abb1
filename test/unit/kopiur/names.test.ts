import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONDITIONS } from "../../../src/core/reconcile/condition_types.ts";
import { REASONS } from "../../../src/core/reconcile/reasons.ts";
import {
  ANNOTATIONS,
  CONSENT_ANNOTATION,
  DELETION_REASON_ANNOTATION,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "../../../src/kinds/kopiur/annotations.ts";
import { SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "../../../src/kinds/kopiur/finalizers.ts";
import { LABELS } from "../../../src/kinds/kopiur/labels.ts";

const reference = join(import.meta.dirname, "../../../docs/reference");
const page = readFileSync(join(reference, "kopiur/names.md"), "utf8");
const reasons = readFileSync(join(reference, "reasons.md"), "utf8");
const keys = [
  ...Object.values(LABELS),
  ...Object.values(ANNOTATIONS),
  ...Object.values(SCHEDULE_ANNOTATIONS),
  ...Object.values(REQUEST_ANNOTATIONS),
  CONSENT_ANNOTATION,
  DELETION_REASON_ANNOTATION,
  SNAPSHOT_CLEANUP,
  SCALED_WORKLOADS,
];

describe("the names of the native API", () => {
  test.each(keys)("%s is a key that Kubernetes takes, and is documented", (key) => {
    expect(key).toMatch(/^kopiur\.home-operations\.com\/[a-z]([-a-z]{0,61}[a-z])$/);
    expect(page).toContain(`\`${key}\``);
  });

  test.each([...Object.values(CONDITIONS), ...Object.values(REASONS)])(
    "%s is one CamelCase word, and is documented",
    (word) => {
      expect(word).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(page + reasons).toContain(`\`${word}\``);
    },
  );

  test("are told apart", () => {
    for (const names of [keys, Object.values(CONDITIONS), Object.values(REASONS)]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
