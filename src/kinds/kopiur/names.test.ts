import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ANNOTATIONS,
  CONSENT_ANNOTATION,
  DELETION_REASON_ANNOTATION,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "./annotations.ts";
import { CONDITIONS } from "./condition_types.ts";
import { SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "./finalizers.ts";
import { LABELS } from "./labels.ts";
import { REASONS } from "./reasons.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/kopiur/names.md"), "utf8");
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
      expect(page).toContain(`\`${word}\``);
    },
  );

  test("are told apart", () => {
    for (const names of [keys, Object.values(CONDITIONS), Object.values(REASONS)]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
