import type { CacheLimits } from "../../wire/work.ts";

/** What was read of the limits around this process. Absent means that there is none. */
export interface Room {
  /** Bytes of memory for all processes of the pod's container. */
  readonly memory?: number;
  /** Processors' worth of time. */
  readonly cpus?: number;
  /** The file systems that the cache has to fit into. */
  readonly caches?: readonly CacheRoom[];
}

export interface CacheRoom {
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** It lies in memory, and counts as such. */
  readonly inMemory: boolean;
}

/** How large an engine may make itself. */
export interface Sizes {
  /** For Go programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cache: Required<CacheLimits>;
  /** Files at once, for what would go by the node's processors. Default: no limit is known. */
  readonly parallel?: number;
}

const MIB = 2 ** 20;
/** Node, the helper for attributes, and what the kernel keeps for their files. */
const MOVER_SHARE = 80 * MIB;
/** Go's limit is a soft one: stacks and mapped indexes come on top. */
const SOFT = 0.95;
const FULL_CACHE: Required<CacheLimits> = { contentBytes: 256 * MIB, metadataBytes: 512 * MIB };
/** A file system this small is a volume for the cache alone: what fills it is the cache of earlier runs. */
const OWN_VOLUME = 4096 * MIB;
const USABLE = 0.8;

/** Sizes that fit the room. */
export function sizesFor({ memory, cpus, caches = [] }: Room): Sizes {
  const threads = cpus === undefined ? undefined : Math.max(1, Math.ceil(cpus));
  return {
    env: {
      // Half the work for the garbage collector; where memory is limited, its limit still holds.
      GOGC: "200",
      ...(memory === undefined ? {} : { GOMEMLIMIT: String(engineMemory(memory)) }),
      ...(threads === undefined ? {} : { GOMAXPROCS: String(threads) }),
    },
    ...(threads === undefined ? {} : { parallel: threads }),
    cache: cacheLimits(Math.min(...caches.map((cache) => cacheBytes(cache, memory)))),
  };
}

function engineMemory(memory: number): number {
  return Math.floor(Math.max(memory / 2, (memory - MOVER_SHARE) * SOFT));
}

function cacheBytes({ totalBytes, freeBytes, inMemory }: CacheRoom, memory: number | undefined): number {
  const usable = (totalBytes <= OWN_VOLUME ? totalBytes : freeBytes) * USABLE;
  return inMemory && memory !== undefined ? Math.min(usable, memory / 4) : usable;
}

/** Indexes and listings are worth more than content, which a backup hardly reads. */
function cacheLimits(bytes: number): Required<CacheLimits> {
  const share = Math.min(1, bytes / (FULL_CACHE.contentBytes + FULL_CACHE.metadataBytes));
  return {
    contentBytes: Math.floor(FULL_CACHE.contentBytes * share),
    metadataBytes: Math.floor(FULL_CACHE.metadataBytes * share),
  };
}
