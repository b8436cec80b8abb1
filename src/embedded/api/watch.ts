import { apiVersionOf, type Resource, resourceName } from "../../kube/resource.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Change, Store, Stored } from "../store/store.ts";
import { Refusal } from "./refusal.ts";
import { checkWatchOptions, type ListOptions, tooLargeVersion, versionProblem } from "./request_options.ts";

/** One line of a watch. Objects are those of the store, by reference. */
export type WatchFrame =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark }
  /** A Status; the last line. */
  | { readonly type: "ERROR"; readonly object: object };

export interface Bookmark {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface WatchRequest extends ListOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly resource: Resource;
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  /** Absent when everything is selected. */
  readonly matches?: ((object: Stored) => boolean) | undefined;
  readonly allowBookmarks: boolean;
  /** When the watch ends, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

const BOOKMARK_EVERY = 60_000;

/** A last bookmark comes this long before the end, so that the next watch has less to catch up with. */
const BOOKMARK_BEFORE_END = 2_000;

/** Frames that wait for a slow reader. Beyond that the watch ends, and the reader resumes from what it read. */
const LONGEST_QUEUE = 10_000;

/**
 * Follows the objects of one resource until the timeout, the signal, or an ERROR frame. Throws a Refusal, at
 * once, for options that make no sense.
 */
export function watchChanges(request: WatchRequest): AsyncIterable<WatchFrame> {
  checkWatchOptions(request);
  const problem = versionProblem(request.resourceVersion || "0");
  if (problem) throw new Refusal(500, "", problem);
  return follow(request);
}

async function* follow(request: WatchRequest): AsyncGenerator<WatchFrame> {
  const { store, clock, namespace, allowBookmarks, signal } = request;
  const name = resourceName(request.resource);
  const inScope = ({ key }: Change) =>
    key.resource === name && (namespace === undefined || key.namespace === namespace);
  const queue: WatchFrame[] = [];
  let bell = Promise.withResolvers<void>();
  const ring = () => bell.resolve();

  const beginning = begin(request);
  if (beginning instanceof Refusal) {
    yield { type: "ERROR", object: beginning.status };
    return;
  }
  let { position } = beginning;
  let overflow = false;
  const take = (change: Change) => {
    if (change.revision <= position || overflow) return;
    position = change.revision;
    const frame = inScope(change) ? frameOf(change, request.matches) : undefined;
    if (!frame) return;
    queue.push(frame);
    overflow = queue.length > LONGEST_QUEUE;
    ring();
  };
  for (const change of beginning.missed) take(change);
  const unsubscribe = store.subscribe(take);

  const end = clock.monotonic() + request.timeout;
  let alarm: "bookmark" | "end" | undefined;
  let cancel = () => {};
  const arm = () => {
    const now = clock.monotonic();
    const bookmarkAt = nextBookmark(now, end);
    cancel = clock.after(Math.min(bookmarkAt, end) - now, () => {
      alarm = bookmarkAt < end ? "bookmark" : "end";
      ring();
    });
  };
  arm();
  signal.addEventListener("abort", ring);
  try {
    for (const object of beginning.initial) yield { type: "ADDED", object };
    if (allowBookmarks && request.sendInitialEvents) {
      yield bookmark(request.resource, beginning.position, { "k8s.io/initial-events-end": "true" });
    }
    while (!signal.aborted) {
      bell = Promise.withResolvers();
      for (const frame of queue.splice(0)) yield frame;
      if (queue.length > 0) continue;
      if (overflow || alarm === "end") return;
      if (alarm === undefined) {
        await bell.promise;
      } else {
        alarm = undefined;
        arm();
        if (allowBookmarks) yield bookmark(request.resource, position);
      }
    }
  } finally {
    cancel();
    unsubscribe();
    signal.removeEventListener("abort", ring);
  }
}

interface Beginning {
  readonly initial: readonly Stored[];
  /** The revision that the initial objects show, or that the reader knows already. */
  readonly position: number;
  readonly missed: readonly Change[];
}

function begin(request: WatchRequest): Beginning | Refusal {
  const { store, namespace, sendInitialEvents, matches, resourceVersion = "" } = request;
  const version = Number(resourceVersion);
  if (sendInitialEvents && version > store.revision) return tooLargeVersion(resourceVersion, store.revision);
  if (sendInitialEvents ?? version === 0) {
    const { revision, objects } = store.list(resourceName(request.resource), namespace);
    return { initial: matches ? objects.filter(matches) : objects, position: revision, missed: [] };
  }
  if (version === 0) return { initial: [], position: store.revision, missed: [] };
  const missed = store.changesSince(version);
  if (missed) return { initial: [], position: version, missed };
  return new Refusal(410, "Expired", `too old resource version: ${version} (${store.revision})`);
}

/** What a change means to someone who sees only what matches: objects come into view and leave it. */
function frameOf(change: Change, matches: WatchRequest["matches"]): WatchFrame | undefined {
  const { type, object, previous, revision } = change;
  if (!matches) return { type, object };
  const was = previous !== undefined && matches(previous);
  const is = type !== "DELETED" && matches(object);
  if (was && is) return { type: "MODIFIED", object };
  if (is) return { type: "ADDED", object };
  if (!was) return undefined;
  if (type === "DELETED") return { type, object };
  const metadata = { ...previous.metadata, resourceVersion: String(revision) };
  return { type: "DELETED", object: { ...previous, metadata } };
}

function nextBookmark(now: number, end: number): number {
  const last = end - BOOKMARK_BEFORE_END;
  return last > now ? Math.min(last, now + BOOKMARK_EVERY) : now + BOOKMARK_EVERY;
}

function bookmark(
  resource: Resource,
  revision: number,
  annotations?: Bookmark["metadata"]["annotations"],
): WatchFrame {
  return {
    type: "BOOKMARK",
    object: {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), ...(annotations && { annotations }) },
    },
  };
}
