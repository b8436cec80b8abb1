import { isRecord } from "../../lib/json.ts";
import type { Listing, Store, Stored } from "../store/store.ts";
import { badRequest, Refusal } from "./refusal.ts";
import { checkListOptions, type ListOptions, tooLargeVersion, versionProblem } from "./request_options.ts";

export interface ListRequest extends ListOptions {
  readonly store: Store;
  /** As resourceName() gives it. */
  readonly resource: string;
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  /** Absent when everything is selected. */
  readonly matches?: ((object: Stored) => boolean) | undefined;
  /** Objects in one answer; 0 or absent for all. */
  readonly limit?: number | undefined;
}

/** One answer to a list. */
export interface ListPage {
  readonly items: readonly Stored[];
  /** Ready to be sent: what is undefined here is absent there. */
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Answers a list, or a page of it. Throws a Refusal: 410 when the state that was asked for is forgotten. */
export function listPage(request: ListRequest): ListPage {
  checkListOptions(request);
  const { matches, resourceVersion } = request;
  const { listing, after } = request.continue ? rest(request, request.continue) : start(request);
  const { objects, revision } = listing;
  // A list "from whenever" is answered whole, as the API server does it out of its cache.
  const limit = resourceVersion !== "0" && request.limit && request.limit > 0 ? request.limit : Infinity;
  const items: Stored[] = [];
  let next = after === undefined ? 0 : objects.findIndex((object) => keyOf(object) >= after);
  if (next < 0) next = objects.length;
  for (; next < objects.length && items.length < limit; next++) {
    const object = objects[next] as Stored;
    if (!matches || matches(object)) items.push(object);
  }
  const last = objects[next - 1];
  if (next >= objects.length || !last) return { items, metadata: { resourceVersion: String(revision) } };
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      continue: encode({ revision, after: `${keyOf(last)}\0` }),
      ...(matches ? {} : { remainingItemCount: objects.length - next }),
    },
  };
}

interface Start {
  readonly listing: Listing;
  /** The key that the page begins with, or comes right before it. */
  readonly after?: string;
}

function start(request: ListRequest): Start {
  const {
    store,
    resource,
    namespace,
    resourceVersion: version,
    resourceVersionMatch: match,
    limit,
  } = request;
  const newest = store.list(resource, namespace);
  if (!version || version === "0") return { listing: newest };
  checkVersion(version);
  if (Number(version) > newest.revision) throw tooLargeVersion(version, newest.revision);
  // Before there was a resourceVersionMatch, a limit made the version exact.
  if (match !== "Exact" && (match || !limit)) return { listing: newest };
  const listing = listingAt(request, Number(version));
  if (!listing) throw new Refusal(410, "Expired", "The resourceVersion for the provided list is too old.");
  return { listing };
}

function rest(request: ListRequest, token: string): Start {
  const { resourceVersion } = request;
  const { revision, after } = decode(token);
  if (resourceVersion && resourceVersion !== "0") {
    checkVersion(resourceVersion);
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const listing = listingAt(request, revision);
  if (!listing) throw new Refusal(410, "Expired", TOO_OLD);
  return { listing, after };
}

function checkVersion(version: string): void {
  const problem = versionProblem(version);
  if (problem) throw badRequest(`invalid resource version: ${problem}`);
}

/** The state as it was: the present one, with the changes since taken back. Undefined when they are forgotten. */
function listingAt(request: ListRequest, revision: number): Listing | undefined {
  const { store, resource, namespace } = request;
  const changes = store.changesSince(revision);
  if (!changes) return undefined;
  const before = new Map<string, Stored | undefined>();
  for (const { key, object, previous } of changes) {
    if (key.resource !== resource || (namespace !== undefined && key.namespace !== namespace)) continue;
    if (!before.has(keyOf(object))) before.set(keyOf(object), previous);
  }
  const { objects } = store.list(resource, namespace);
  if (before.size === 0) return { revision, objects };
  const unchanged = objects.filter((object) => !before.has(keyOf(object)));
  const restored = [...before.values()].filter((object) => object !== undefined);
  return { revision, objects: [...unchanged, ...restored].sort(byKey) };
}

function byKey(a: Stored, b: Stored): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function keyOf({ metadata }: Stored): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Where a list goes on. */
interface Position {
  readonly revision: number;
  readonly after: string;
}

/** The pages took longer than changes are remembered. */
const TOO_OLD =
  "The provided continue parameter is too old to display a consistent list result. You must start a new list " +
  "without the continue parameter.";

function encode({ revision, after }: Position): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: after })).toString(
    "base64url",
  );
}

function decode(token: string): Position {
  const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw refuse("it is not one that this server gave");
  }
  if (!isRecord(position) || !Number.isSafeInteger(position.rv) || typeof position.start !== "string") {
    throw refuse("it names no place to go on");
  }
  return { revision: position.rv as number, after: position.start };
}
