import { isRecord, jsonEqual } from "../../lib/json.ts";
import type { SnapshotOptions } from "../engine.ts";

/** kopia's own retention, which would delete snapshots behind our back, keeps this many: all of them. */
const ALL = 2_147_483_647;
const KEEP_ALL = {
  keepLatest: ALL,
  keepHourly: 0,
  keepDaily: 0,
  keepWeekly: 0,
  keepMonthly: 0,
  keepAnnual: 0,
};

/** A policy of kopia's, as it exports and imports them. */
export type Policy = Readonly<Record<string, unknown>>;

/**
 * The complete policy of a source. It inherits nothing, so that neither kopia's defaults nor anybody's global policy
 * decide what is backed up and what is deleted.
 */
export function dataPolicy(
  options: Pick<SnapshotOptions, "ignore" | "compression" | "splitter" | "oneFileSystem" | "unreadable">,
): Policy {
  const { ignore = {}, compression = {}, splitter, oneFileSystem = false, unreadable = "Fail" } = options;
  const { paths = [], files = [], cacheDirs = false } = ignore;
  const { compressor = "zstd", neverCompress = [] } = compression;
  const skip = unreadable === "Skip";
  return {
    noParent: true,
    retention: KEEP_ALL,
    files: {
      ignore: paths,
      noParentIgnore: true,
      ignoreDotFiles: files,
      noParentDotFiles: true,
      ignoreCacheDirs: cacheDirs,
      oneFileSystem,
    },
    errorHandling: { ignoreFileErrors: skip, ignoreDirectoryErrors: skip, ignoreUnknownTypes: true },
    scheduling: { manual: true },
    compression: { ...(compressor === "none" ? {} : { compressorName: compressor }), neverCompress },
    metadataCompression: { compressorName: "zstd-fastest" },
    ...(splitter === undefined ? {} : { splitter: { algorithm: splitter } }),
    upload: { parallelUploadAboveSize: 2 ** 31 },
  };
}

/** kopia's name of what is inherited by every identity that has no policy of its own. */
export const GLOBAL = "(global)";

/**
 * The policy of a source of which nothing is left out but what its file system puts there by itself. It is that of
 * companions, too, where most of it has no meaning.
 */
export const USUAL_POLICY = dataPolicy({ ignore: { paths: ["/lost+found"] } });

/** Whether kopia holds exactly this policy. It prints empty parts that it was not given. */
export function samePolicy(held: unknown, wanted: Policy): boolean {
  return jsonEqual(withoutEmpty(held), withoutEmpty(wanted));
}

function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value)
    .map(([key, part]) => [key, withoutEmpty(part)] as const)
    .filter(([, part]) => !isEmpty(part));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (isRecord(value) && Object.keys(value).length === 0);
}
