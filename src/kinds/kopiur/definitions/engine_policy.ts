import { z } from "zod";
import { texts } from "./words.ts";

/** The engines' names of their compressors: kopia's, then restic's. */
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

/** What to store of a source, and how. */
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
          .describe("Patterns of file names, such as `*.zip`, to store uncompressed. Only with kopia.")
          .optional(),
      })
      .describe("How to compress content.")
      .optional(),
    splitter: z
      .enum(SPLITTERS)
      .describe("How to split files into pieces. Only with kopia. Default: the repository's.")
      .optional(),
    ignore: z
      .object({
        paths: texts({ maxItems: 128, maxLength: 512 })
          .describe("Patterns, as in a .gitignore, to leave out. lost+found is always left out.")
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
        otherFilesystems: z
          .boolean()
          .default(false)
          .describe("Leave out other file systems that are mounted below the source."),
      })
      .describe("What to leave out.")
      .optional(),
    fidelity: z
      .enum(["Full", "Engine"])
      .describe(
        "Full: everything that the mover can see comes back, also hard links, extended attributes, FIFOs and odd names. For this, kopia stores a small second snapshot beside each. Engine: only what the bare engine stores; status counts the rest. Default: Full; but Engine if the kopia repository holds snapshots of other programs, and none of Holdfast with a second one.",
      )
      .optional(),
    unreadableFiles: z
      .enum(["Fail", "Skip"])
      .default("Fail")
      .describe(
        "What to do about an unreadable file. Fail: the backup fails. Skip: it leaves the file out and succeeds, and so does a restore of it; both count the files that were left out.",
      ),
    extraArgs: texts({ maxItems: 32, maxLength: 512 })
      .describe(
        "More arguments for the engine's command, with = before values, as in --flag=value. Holdfast refuses arguments about retention.",
      )
      .optional(),
  });
