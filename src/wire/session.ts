import type { Entry } from "./entry.ts";

/**
 * The session protocol: HTTP, read-only, JSON answers in pages, file content as bytes. A failure is answered with
 * an `EngineFailure` and a fitting status code.
 *
 * - `GET /v1/snapshots?username&hostname&path&run&tag=k:v&after&limit` → Page<Snapshot>, newest first
 * - `GET /v1/snapshots/{id}/entries?path&after&limit` → Page<Entry>, by name
 * - `GET /v1/snapshots/{id}/entry?path` → Entry
 * - `GET /v1/snapshots/{id}/file?path` → bytes
 * - `GET /v1/snapshots/{id}/search?name&path&after&limit` → Page<FoundEntry>; `name` is a glob
 * - `GET /v1/repository` → SessionInfo
 */
export const SESSION_VERSION = 1;

/** Pages hold at most this many items, and this many when `limit` is absent. */
export const PAGE_LIMIT = 1000;

export interface Page<T> {
  readonly items: readonly T[];
  /** Given as `after`, it leads to the next page. Absent on the last one. */
  readonly next?: string;
}

export interface FoundEntry extends Entry {
  /** Relative to the snapshot's root. */
  readonly path: string;
}

export interface SessionInfo {
  readonly version: number;
  readonly repository: string;
}
