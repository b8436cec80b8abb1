import type { BackendKind } from "./backend.ts";

/** The engines by name. */
export type EngineName = "kopia" | "restic";

/**
 * What a restore does about what is in its target already.
 * - `Refuse`: the target must be empty (`lost+found` aside) or absent.
 * - `Overwrite`: what is in the way is replaced.
 * - `OverwriteChanged`: a file of the same size and modification time is taken for the same, and stays.
 * - `Keep`: what is there stays.
 */
export type ExistingFiles = "Refuse" | "Overwrite" | "OverwriteChanged" | "Keep";

/** What an engine can do, known before anything runs. What is false or absent is refused with `Unsupported`. */
export interface Capabilities {
  readonly backends: readonly BackendKind[];
  /** Those of them whose servers' certificates need not be checked. */
  readonly unchecked: readonly BackendKind[];
  /** Whether a bucket of S3 stands in the path or in the host name can be chosen. */
  readonly s3Addressing: boolean;
  /** An endpoint of Azure can be a URL. */
  readonly azureUrl: boolean;
  readonly compression: readonly string[];
  /** Names of splitters that can be chosen for a new repository, or for a source; empty when there is no choice. */
  readonly splitters: readonly string[];
  readonly hashes: readonly string[];
  readonly encryptions: readonly string[];
  /** Files that are stored uncompressed, by pattern. */
  readonly neverCompress: boolean;
  /** Files in the data that say what is left out of their folder. */
  readonly ignoreFiles: boolean;
  /** The recorded path can differ from the mounted one. */
  readonly overridesPath: boolean;
  readonly rateLimits: boolean;
  readonly sparseRestore: boolean;
  /** Over what is there, each file can be written beside its place and renamed into it. */
  readonly atomicRestore: boolean;
  readonly deleteExtraFiles: boolean;
  /** What a restore can do about files that are in its way. */
  readonly existing: readonly ExistingFiles[];
  /** Those of them that it can do with snapshots of full fidelity alone. */
  readonly existingNeedingFull: readonly ExistingFiles[];
  /** Locks that a killed process leaves behind, and that `unlock` removes. */
  readonly locks: boolean;
  /** A repository has one maintainer, by a name that is kept in it. */
  readonly maintainer: boolean;
  /** Maintenance and checks need the repository for themselves. */
  readonly exclusiveMaintenance: boolean;
  readonly copy: boolean;
  /** Copies between two repositories on one kind of storage that are reached with different credentials or settings. */
  readonly copyAcrossCredentials: boolean;
  readonly changePassword: boolean;
  /** Keeps an unchanged source from making a new snapshot. */
  readonly skipIdentical: boolean;
  /** Verifies a part of a snapshot's files. */
  readonly partialVerify: boolean;
}

/** The table of capabilities, shared by operator and mover. */
export const CAPABILITIES: Readonly<Record<EngineName, Capabilities>> = {
  kopia: {
    backends: ["filesystem", "s3", "azure", "gcs", "b2", "sftp", "webdav", "rclone"],
    unchecked: ["s3"],
    s3Addressing: false,
    azureUrl: true,
    compression: [
      "none",
      "zstd",
      "zstd-fastest",
      "zstd-better-compression",
      "zstd-best-compression",
      "s2-default",
      "s2-better",
      "s2-parallel-4",
      "s2-parallel-8",
      "gzip",
      "gzip-best-speed",
      "gzip-best-compression",
      "pgzip",
      "pgzip-best-speed",
      "pgzip-best-compression",
      "deflate-default",
      "deflate-best-speed",
      "deflate-best-compression",
    ],
    splitters: [
      "DYNAMIC-128K-BUZHASH",
      "DYNAMIC-256K-BUZHASH",
      "DYNAMIC-512K-BUZHASH",
      "DYNAMIC-1M-BUZHASH",
      "DYNAMIC-2M-BUZHASH",
      "DYNAMIC-4M-BUZHASH",
      "DYNAMIC-8M-BUZHASH",
      "FIXED-128K",
      "FIXED-256K",
      "FIXED-512K",
      "FIXED-1M",
      "FIXED-2M",
      "FIXED-4M",
      "FIXED-8M",
    ],
    hashes: [
      "BLAKE2B-256",
      "BLAKE2B-256-128",
      "BLAKE2S-128",
      "BLAKE2S-256",
      "BLAKE3-256",
      "BLAKE3-256-128",
      "HMAC-SHA224",
      "HMAC-SHA256",
      "HMAC-SHA256-128",
      "HMAC-SHA3-224",
      "HMAC-SHA3-256",
    ],
    encryptions: ["AES256-GCM-HMAC-SHA256", "CHACHA20-POLY1305-HMAC-SHA256"],
    neverCompress: true,
    ignoreFiles: true,
    overridesPath: true,
    rateLimits: true,
    sparseRestore: true,
    atomicRestore: true,
    deleteExtraFiles: true,
    existing: ["Refuse", "Overwrite", "OverwriteChanged"],
    existingNeedingFull: ["OverwriteChanged"],
    locks: false,
    maintainer: true,
    exclusiveMaintenance: false,
    copy: true,
    copyAcrossCredentials: true,
    changePassword: true,
    skipIdentical: true,
    partialVerify: true,
  },
  restic: {
    backends: ["filesystem", "s3", "azure", "gcs", "b2", "sftp", "rclone"],
    unchecked: ["s3", "azure"],
    s3Addressing: true,
    azureUrl: false,
    compression: ["none", "auto", "max"],
    splitters: [],
    hashes: [],
    encryptions: [],
    neverCompress: false,
    ignoreFiles: false,
    overridesPath: false,
    rateLimits: true,
    sparseRestore: true,
    atomicRestore: false,
    deleteExtraFiles: true,
    existing: ["Refuse", "Overwrite", "OverwriteChanged", "Keep"],
    existingNeedingFull: [],
    locks: true,
    maintainer: false,
    exclusiveMaintenance: true,
    copy: true,
    copyAcrossCredentials: false,
    changePassword: true,
    skipIdentical: true,
    partialVerify: false,
  },
};
