import { describe, expect, test } from "vitest";
import { runId } from "./run_id.ts";

const owner = { name: "nightly", uid: "6f0e8c1c-0000-4000-8000-000000000001" };
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

describe("runId()", () => {
  test("says whose run it is, what for, and which attempt", () => {
    expect(runId({ owner, purpose: "snapshot", attempt: 3 })).toMatch(/^nightly-snapshot-[0-9a-z]{12}-3$/);
  });

  test("is the same for the same parts", () => {
    const parts = { owner, purpose: "snapshot", attempt: 1 };
    expect(runId(parts)).toBe(runId({ ...parts, owner: { ...owner } }));
  });

  test("differs by owner, purpose and attempt", () => {
    const ids = [
      runId({ owner, purpose: "snapshot", attempt: 1 }),
      runId({ owner, purpose: "snapshot", attempt: 2 }),
      runId({ owner, purpose: "delete", attempt: 1 }),
      runId({ owner: { ...owner, uid: "another" }, purpose: "snapshot", attempt: 1 }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(["x".repeat(253), "a.b.c", "Ünicode_Näme", "-", "ends-", `${"long-".repeat(12)}end`])(
    "is the name of a Job, also for an owner called %s",
    (name) => {
      for (const attempt of [1, 99]) {
        const id = runId({ owner: { ...owner, name }, purpose: "snapshot-settle", attempt });
        expect(id).toMatch(NAME);
        expect(id.length).toBeLessThanOrEqual(63);
        expect(id.endsWith(`-${attempt}`)).toBe(true);
      }
    },
  );
});
