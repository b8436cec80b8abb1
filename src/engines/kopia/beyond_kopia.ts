import type { Loss, LossKind } from "../../wire/snapshot.ts";
import { type Counted, lossesOf, type Survey } from "../fidelity/survey.ts";
import type { Manifest } from "./manifest.ts";

/** How often a source holds what kopia alone does not bring back, by kind. */
export type BeyondKopia = Readonly<Partial<Record<LossKind, number>>>;

export const NOT_RECORDED = "kopia does not keep it, and fidelity is Engine";

export const NOT_WRITABLE =
  "kopia turns the name, which is not UTF-8, into one that is too long to be written, and a restore stops there; fidelity Full brings it back";

/** What a source holds that kopia alone does not bring back. */
export function countedBeyond(survey: Survey): readonly (readonly [LossKind, Counted])[] {
  return [
    ["HardLink", survey.hardLinks],
    ["ExtendedAttribute", survey.xattrs],
    ["Acl", survey.acls],
    ["FileCapability", survey.capabilities],
    ["Fifo", survey.fifos],
    ["Device", survey.devices],
    ["Name", survey.names],
    ["Content", survey.reserved],
    ["Time", { count: survey.folders + survey.times.count, examples: survey.times.examples }],
  ];
}

/** The same, as a snapshot's note keeps it. */
export function beyondKopia(survey: Survey): BeyondKopia {
  const counts = countedBeyond(survey).filter(([, { count }]) => count > 0);
  return Object.fromEntries(counts.map(([kind, { count }]) => [kind, count]));
}

/** What a restore without a record does not bring back, as far as it is known; of a part of the snapshot, at most. */
export function lossesWithoutRecord({ note }: Manifest, path: string): readonly Loss[] {
  const why =
    note?.fidelity === "Full" ? "kopia does not keep it, and the record of it is gone" : NOT_RECORDED;
  const reason = path === "" ? why : `${why}; at most so many`;
  const counts = Object.entries(note?.beyond ?? {}) as readonly (readonly [LossKind, number])[];
  return lossesOf(
    counts.map(([kind, count]) => [kind, { count, examples: [] }]),
    reason,
  );
}
