import { isConflict, isNotFound } from "../../kube/api_error.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../kube/object.ts";
import { jsonEqual } from "../../lib/json.ts";
import { controllerPorts, type EngineRoom } from "../reconcile/engine_room.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import { type Ready, repositoryName } from "../repository/repository.ts";
import { readyRepository } from "../repository/use_repository.ts";
import type { SnapshotHolder } from "./absence.ts";
import { applyCatalog } from "./apply_catalog.ts";
import type { CatalogedState, CatalogRepository } from "./catalog_repository.ts";
import { catalogNews, refreshedStatus, switchedOffStatus, unreadStatus } from "./catalog_status.ts";
import { listingProblem } from "./list_snapshots.ts";
import { type Catalog, refreshCatalog } from "./refresh_catalog.ts";
import { refreshDue } from "./refresh_due.ts";

/** A list of many thousands, from a slow storage. */
const DEADLINE = 1_800_000;
/** How often a status is written that others keep changing. */
const TRIES = 5;
const SHOULD_NEWS_BE_LOST = 60_000;
/** The operator is on its way in or out, which says nothing about the repository. */
const OPERATORS_OWN: readonly string[] = ["SessionsClosed", "SessionEnded"];

/** Shows what is in repositories as objects, and says of objects what is in the repositories no more. */
export function catalogController<T extends SnapshotHolder>(
  room: EngineRoom,
  catalog: Catalog<T>,
): Controller {
  const controller = new Controller({
    ...controllerPorts(room),
    name: catalog.name,
    concurrency: 4,
    deadline: DEADLINE,
    reconcile: (key, signal) => reconcile(room, catalog, key, signal),
  });
  for (const cache of catalog.caches) controller.watch(cache);
  return controller;
}

async function reconcile<T extends SnapshotHolder>(
  room: EngineRoom,
  catalog: Catalog<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const repository = catalog.find(key);
  if (!repository || repository.metadata.deletionTimestamp) return done;
  if (!repository.spec.catalog.enabled) return switchOff(room, catalog, repository, signal);
  const { client, clock } = room;
  const due = dueOf(repository, clock.now());
  if (due !== 0) return due === undefined ? done : requeueAfter(due);
  // The cache may not have heard of the last look yet.
  const fresh = await client.get(catalog.resourceOf(repository), repository.metadata, { signal });
  const ready = readyRepository(fresh, repositoryName(fresh));
  if (!ready.ok || dueOf(ready.value, clock.now()) !== 0) return requeueAfter(SHOULD_NEWS_BE_LOST);
  const say = await refresh(room, catalog, ready.value, signal);
  await writeFresh(room, catalog, ready.value, say, signal);
  // What was just written brings it back, with the time of the next look.
  return requeueAfter(SHOULD_NEWS_BE_LOST);
}

/** How long the next look has to wait; undefined while there can be none. */
function dueOf(repository: CatalogRepository, now: number): number | undefined {
  if (!readyRepository(repository, repositoryName(repository)).ok) return undefined;
  return Math.max(0, refreshDue(repository, now) - now);
}

/** What is to be said of the repository once its list was read, or could not be. */
type Saying = (repository: CatalogRepository) => CatalogedState;

async function refresh<T extends SnapshotHolder>(
  room: EngineRoom,
  catalog: Catalog<T>,
  asked: Ready<CatalogRepository>,
  signal: AbortSignal,
): Promise<Saying> {
  const { clock, log } = room;
  try {
    const refreshed = { asked, ...(await refreshCatalog(room, catalog, asked, signal)) };
    return (repository) => refreshedStatus(repository, refreshed, clock.now());
  } catch (error) {
    const problem = listingProblem(error);
    if (signal.aborted || OPERATORS_OWN.includes(problem.reason)) throw error;
    const { reason, message } = problem;
    log.warn(
      { repository: keyOf(asked), reason, error: message },
      "a repository's list was not read or shown",
    );
    return (repository) => unreadStatus(repository, { asked, problem }, clock.now());
  }
}

/** Nobody wants to see the list: the objects that showed it go, and nothing in the repository. */
async function switchOff<T extends SnapshotHolder>(
  room: EngineRoom,
  catalog: Catalog<T>,
  repository: CatalogRepository,
  signal: AbortSignal,
): Promise<Outcome> {
  const { objects } = catalog;
  const remove = objects.of(repository).filter((one) => objects.isDiscovered(one));
  if (remove.length === 0 && jsonEqual(switchedOffStatus(repository), repository.status ?? {})) return done;
  await applyCatalog(room.bulk ?? room.client, objects, { show: [], mark: [], remove }, signal);
  await writeFresh(room, catalog, repository, switchedOffStatus, signal);
  return done;
}

/** Writes what is to be said on the repository as it is now: reading a list takes a while, and others write too. */
async function writeFresh(
  { client, events }: EngineRoom,
  { resourceOf }: Pick<Catalog<never>, "resourceOf">,
  repository: CatalogRepository,
  say: Saying,
  signal: AbortSignal,
): Promise<void> {
  const resource = resourceOf(repository);
  for (let tries = 1; ; tries++) {
    try {
      const object = await client.get(resource, repository.metadata, { signal });
      if (object.metadata.uid !== repository.metadata.uid) return;
      const status = say(object);
      const news = catalogNews(object, status);
      await writeFitted(client, { resource, object, status }, { signal });
      if (news) events.event(object, news);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
