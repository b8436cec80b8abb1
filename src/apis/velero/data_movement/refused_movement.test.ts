import { expect, test } from "vitest";
import type { DataMovement } from "../../../kinds/velero/data_movement.ts";
import { writtenOf } from "../write_together.ts";
import { refusedMovement } from "./refused_movement.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const AT = "2026-01-01T12:00:00Z";
const FINALIZER = "velero.io/data-upload-download-finalizer";

function movement(more: Partial<DataMovement> = {}, finalizers: readonly string[] = []): DataMovement {
  const metadata = { namespace: "velero", name: "nightly-x", uid: "u", finalizers } as never;
  return { apiVersion: "velero.io/v2alpha1", kind: "DataUpload", metadata, ...more };
}

test.each([[undefined], [""], ["velero"]])("is refused at once where the data mover is %j", (datamover) => {
  const spec = datamover === undefined ? {} : { datamover };
  expect(refusedMovement(movement({ spec, status: { phase: "New" } }), NOW)?.status).toEqual({
    phase: "Failed",
    completionTimestamp: AT,
    message:
      "Nothing in this cluster does the upload of a volume snapshot: Holdfast is the node agent here, and moves the files of pod volumes. Back the volume up through its files instead, with --default-volumes-to-fs-backup and without --snapshot-move-data, or name another data mover.",
  });
});

test("a download says who can do it", () => {
  expect(refusedMovement(movement({ kind: "DataDownload" }), NOW)?.status).toMatchObject({
    phase: "Failed",
    message: expect.stringContaining("Restore this backup with Velero's node agent"),
  });
});

test("one that is canceled is canceled", () => {
  expect(refusedMovement(movement({ spec: { cancel: true } }), NOW)?.status).toEqual({
    phase: "Canceled",
    completionTimestamp: AT,
    message: "Canceled: nothing works on it.",
  });
});

test("that of another data mover is left alone", () => {
  expect(refusedMovement(movement({ spec: { datamover: "vendor" } }), NOW)).toBeUndefined();
});

test.each(["Accepted", "Prepared", "InProgress", "Canceling"] as const)(
  "what Velero's node agent has begun (%s) is left to it",
  (phase) => expect(refusedMovement(movement({ status: { phase } }), NOW)).toBeUndefined(),
);

test.each([
  ["Accepted", {}, "Failed"],
  ["InProgress", {}, "Failed"],
  ["Canceling", { cancel: true }, "Canceled"],
] as const)("what Velero's node agent had begun (%s) ends once that is gone", (phase, spec, end) => {
  const begun = movement({ spec, status: { phase } }, ["other", FINALIZER]);
  expect(refusedMovement(begun, NOW, { orphaned: true })).toMatchObject({
    finalizers: ["other"],
    status: { phase: end },
  });
});

test.each(["Completed", "Failed", "Canceled"] as const)("one that has ended (%s) may go", (phase) => {
  const ended = movement({ status: { phase } }, ["other", FINALIZER]);
  expect(refusedMovement(ended, NOW)).toEqual({ ...writtenOf(ended), finalizers: ["other"] });
});
