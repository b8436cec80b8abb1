import { expect, test } from "vitest";
import type { Change } from "../../../core/admission/check.ts";
import {
  DELETION_REASON_ANNOTATION,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { backup } from "../testing/samples.ts";
import { completeBackup } from "./complete_backup.ts";
import type { Around } from "./lookup.ts";

type Annotations = Readonly<Record<string, string>>;

const sample = (annotations?: Annotations) => backup(annotations ? { metadata: { annotations } } : {});

function annotationsAfter(
  given: Annotations | undefined,
  before: Annotations | "new" | undefined,
  isOperator = false,
) {
  const change = { object: sample(given), ...(before === "new" ? {} : { old: sample(before) }) };
  const around = { isOperator, lookup: { config: () => "absent" } };
  const { metadata } = completeBackup(change as unknown as Change<Backup>, around as unknown as Around);
  return metadata.annotations;
}

const slot = { [SCHEDULE_ANNOTATIONS.slot]: "2026-05-24T02:00:00Z" };
const reason = { [DELETION_REASON_ANNOTATION]: "Retention" };
const mine = { "example.org/seen": "today" };

test("completeBackup() lets only the operator say whom it was made for, and who consented", () => {
  const asked = { [REQUEST_ANNOTATIONS.by]: "billing/first", [REQUEST_ANNOTATIONS.consent]: "author" };
  expect(annotationsAfter({ ...mine, ...asked }, "new")).toEqual(mine);
  expect(annotationsAfter(asked, "new", true)).toEqual(asked);
});

test("completeBackup() lets only the operator say which slot it is, and that a deletion is its own", () => {
  expect(annotationsAfter({ ...mine, ...slot, ...reason }, "new")).toEqual(mine);
  expect(annotationsAfter({ ...slot, ...reason }, {}, true)).toEqual({ ...slot, ...reason });
  expect(annotationsAfter({ ...mine, ...reason }, slot)).toEqual({ ...mine, ...slot });
  expect(annotationsAfter(undefined, { ...mine, ...slot })).toEqual(slot);
  expect(annotationsAfter(undefined, "new")).toBeUndefined();
});
