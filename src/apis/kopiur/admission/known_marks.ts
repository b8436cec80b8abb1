import type { KnownMarks } from "../../../core/admission/misspelt.ts";
import {
  ANNOTATIONS,
  CONSENT_ANNOTATION,
  DELETION_REASON_ANNOTATION,
  DERIVED_ANNOTATIONS,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "../../../kinds/kopiur/annotations.ts";
import { GROUP } from "../../../kinds/kopiur/group.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";

const ALL = [ANNOTATIONS, LABELS, DERIVED_ANNOTATIONS, REQUEST_ANNOTATIONS, SCHEDULE_ANNOTATIONS];

/** The labels and annotations of this API. */
export const KNOWN_MARKS: KnownMarks = {
  prefix: `${GROUP}/`,
  names: [...ALL.flatMap((names) => Object.values(names)), CONSENT_ANNOTATION, DELETION_REASON_ANNOTATION],
  switches: [
    ANNOTATIONS.hold,
    ANNOTATIONS.cancel,
    ANNOTATIONS.skipSnapshotCleanup,
    ANNOTATIONS.acknowledgeRemoval,
  ],
};
