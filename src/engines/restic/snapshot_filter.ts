import { RUN_TAG } from "../../wire/tags.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import { type ResticSnapshot, tagText, UNKNOWN_NAME } from "./snapshot_record.ts";

/** What restic itself can filter by. A host that is only shown under a name cannot be asked for by it. */
export function filterArguments(filter: SnapshotFilter): readonly string[] {
  const tags = [
    ...(filter.run === undefined ? [] : [tagText(RUN_TAG, filter.run)]),
    ...Object.entries(filter.tags ?? {}).map(([key, value]) => tagText(key, value)),
  ];
  const { hostname, path } = filter;
  return [
    ...(hostname === undefined || hostname === UNKNOWN_NAME ? [] : ["--host", hostname]),
    ...(path === undefined ? [] : ["--path", path]),
    ...(tags.length === 0 ? [] : ["--tag", tags.join(",")]),
  ];
}

/** Whether a snapshot that restic let through is of the identity that is meant. */
export function isMeant({ snapshot: { identity } }: ResticSnapshot, filter: SnapshotFilter): boolean {
  return (["username", "hostname", "path"] as const).every(
    (part) => filter[part] === undefined || filter[part] === identity[part],
  );
}
