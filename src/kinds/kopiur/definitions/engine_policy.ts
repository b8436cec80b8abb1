import { z } from "zod";
import { texts } from "./words.ts";

/** Names that the engines have for what they compress with: kopia's, then restic's. */
export const COMPRESSORS = [
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
  "auto",
  "max",
] as const;

export const SPLITTERS = [
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
] as const;

export const HASHES = [
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
] as const;

export const ENCRYPTIONS = ["AES256-GCM-HMAC-SHA256", "CHACHA20-POLY1305-HMAC-SHA256"] as const;

export const compressor = () => z.enum(COMPRESSORS);

/** What of a source is stored, and how. */
export const enginePolicy = () =>
  z.object({
    compression: z
      .object({
        compressor: compressor()
          .describe(
            "kopia's compressors, or restic's none, auto and max. Default: zstd on kopia, auto on restic.",
          )
          .optional(),
        neverCompress: texts({ maxItems: 64, maxLength: 256 })
          .describe("Patterns of file names, such as `*.zip`, that are stored as they are. Only kopia can.")
          .optional(),
      })
      .describe("How content is compressed.")
      .optional(),
    splitter: z
      .enum(SPLITTERS)
      .describe("How files are cut into pieces. Only kopia can. Default: the repository's.")
      .optional(),
    ignore: z
      .object({
        paths: texts({ maxItems: 128, maxLength: 512 })
          .describe("Patterns, as in a .gitignore, of what is left out. lost+found always is.")
          .optional(),
        files: texts({ maxItems: 8, maxLength: 128 })
          .describe(
            "Names of files in the data that hold such patterns for their folder, such as `.kopiaignore`.",
          )
          .optional(),
        cacheDirs: z.boolean().default(false).describe("Leave out folders that hold a CACHEDIR.TAG."),
        ignoreIdenticalSnapshots: z
          .boolean()
          .default(false)
          .describe("Make no new snapshot when nothing has changed since the last one."),
        otherFilesystems: z.boolean().default(false).describe("Leave out what is mounted below the source."),
      })
      .describe("What is left out.")
      .optional(),
    fidelity: z
      .enum(["Full", "Engine"])
      .describe(
        "Full: everything that was seen comes back, also hard links, extended attributes, FIFOs and odd names; for that kopia stores a small second snapshot beside each. Engine: only what the bare engine keeps; status counts the rest. Default: Full, but Engine where kopia finds snapshots of others in the repository, and none of ours with such a second one.",
      )
      .optional(),
    unreadableFiles: z
      .enum(["Fail", "Skip"])
      .default("Fail")
      .describe(
        "What follows from a file that cannot be read: the backup fails, or goes on without it. Such a backup succeeds, and so does a restore of it; both count what was left out.",
      ),
    extraArgs: texts({ maxItems: 32, maxLength: 512 })
      .describe(
        "Arguments for the engine's command, for what has no field here; values of flags are written with =, as in --flag=value. Retention is refused.",
      )
      .optional(),
  });
