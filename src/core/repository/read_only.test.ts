import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { waits } from "../reconcile/problem.ts";
import { readyNas } from "../testing/samples.ts";
import { readOnlyViolation, type Writing, writable } from "./read_only.ts";

const archive = readyNas({ spec: { access: { readOnly: true } } });

describe("a read-only repository", () => {
  test.each<[Writing, string]>([
    [
      "backup",
      "Repository billing/nas takes no backups: it is read-only (access.readOnly). Set access.readOnly to false to write to it from here, or use another repository.",
    ],
    [
      "maintenance",
      "Repository billing/nas is not maintained or unlocked: it is read-only (access.readOnly). Set access.readOnly to false to write to it from here, or maintain it where it is written.",
    ],
    [
      "deletion",
      "Repository billing/nas keeps its snapshots: it is read-only (access.readOnly). Set access.readOnly to false to write to it from here, or let the object go without them (annotation skip-snapshot-cleanup).",
    ],
  ])("refuses: %s", (writing, message) => {
    const error = { class: "structural", reason: "RepositoryReadOnly", message };
    expect(writable(ok(archive), writing)).toEqual({ ok: false, error });
    expect(readOnlyViolation(archive, writing, "spec.x")).toMatchObject({ field: "spec.x" });
  });

  test.each([
    ["says nothing of it", {}],
    ["says that it is not", { access: { readOnly: false } }],
  ])("is none that %s", (_, spec) => {
    const nas = readyNas({ spec });
    expect(writable(ok(nas), "backup")).toEqual(ok(nas));
    expect(readOnlyViolation(nas, "backup", "f")).toBeUndefined();
  });

  test("is not looked for where there is no repository to use", () => {
    const away = err(waits("RepositoryNotReady", "Not yet."));
    expect(writable(away, "backup")).toBe(away);
  });
});
