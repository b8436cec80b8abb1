import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { type RepositoryStatus, repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { isConflict, isNotFound } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { judge } from "../../../kube/controller/failure.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import { ERROR_CLASSES } from "../../../wire/error_classes.ts";
import { isDiscovered } from "../backup/backup_labels.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { type AnyRepository, isOfCluster, type ReadyRepository, readyRepository } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { sentence } from "../run_words.ts";
import { writeFitted } from "../write_fitted.ts";
import { backupsOf } from "./before_listing.ts";
import { carryOutCatalog } from "./carry_out_catalog.ts";
import { catalogNews, refreshedStatus, switchedOffStatus, unreadStatus } from "./catalog_status.ts";
import { refreshCatalog } from "./refresh_catalog.ts";
import { refreshDue } from "./refresh_due.ts";

/** A list of many thousands, from a slow storage. */
const DEADLINE = 1_800_000;
/** How often a status is written that others keep changing. */
const TRIES = 5;
const SHOULD_NEWS_BE_LOST = 60_000;
/** The operator is on its way in or out, which says nothing about the repository. */
const OPERATORS_OWN: readonly string[] = ["SessionsClosed", "SessionEnded"];

/** Shows what is in repositories as Backups, and says of Backups what is in the repositories no more. */
export function catalogController(ports: KopiurPorts): Controller {
  const { repositories, clusterRepositories } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-catalog",
    concurrency: 4,
    deadline: DEADLINE,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  }).watch(repositories);
  return clusterRepositories ? controller.watch(clusterRepositories) : controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const repository = findRepository(ports.caches, key);
  if (!repository || repository.metadata.deletionTimestamp) return done;
  if (!repository.spec.catalog.enabled) return switchOff(ports, repository, signal);
  const { clock } = ports;
  const due = dueOf(repository, key, clock.now());
  if (due !== 0) return due === undefined ? done : requeueAfter(due);
  // The cache may not have heard of the last look yet.
  const fresh = await fetched(ports.client, repository, signal);
  const ready = readyRepository(fresh, key);
  if (!ready.ok || dueOf(ready.value, key, clock.now()) !== 0) return requeueAfter(SHOULD_NEWS_BE_LOST);
  const say = await refresh(ports, ready.value, signal);
  await writeFresh(ports, ready.value, say, signal);
  // What was just written brings it back, with the time of the next look.
  return requeueAfter(SHOULD_NEWS_BE_LOST);
}

/** How long the next look has to wait; undefined while there can be none. */
function dueOf(repository: AnyRepository, key: ObjectKey, now: number): number | undefined {
  if (!readyRepository(repository, key).ok) return undefined;
  return Math.max(0, refreshDue(repository, now) - now);
}

/** What is to be said of the repository once its list was read, or could not be. */
type Saying = (repository: AnyRepository) => RepositoryStatus;

async function refresh(ports: KopiurPorts, asked: ReadyRepository, signal: AbortSignal): Promise<Saying> {
  const { clock, log } = ports;
  try {
    const refreshed = { asked, ...(await refreshCatalog(ports, asked, signal)) };
    return (repository) => refreshedStatus(repository, refreshed, clock.now());
  } catch (error) {
    const problem = problemOf(error);
    if (signal.aborted || OPERATORS_OWN.includes(problem.reason)) throw error;
    const { reason, message } = problem;
    log.warn(
      { repository: keyOf(asked), reason, error: message },
      "a repository's list was not read or shown",
    );
    return (repository) => unreadStatus(repository, { asked, problem }, clock.now());
  }
}

/** Nobody wants to see the list: the Backups that showed it go, and nothing in the repository. */
async function switchOff(
  ports: KopiurPorts,
  repository: AnyRepository,
  signal: AbortSignal,
): Promise<Outcome> {
  const remove = backupsOf(ports.caches, repository).filter(isDiscovered);
  if (remove.length === 0 && jsonEqual(switchedOffStatus(repository), repository.status ?? {})) return done;
  await carryOutCatalog(ports.bulk ?? ports.client, { show: [], mark: [], remove }, signal);
  await writeFresh(ports, repository, switchedOffStatus, signal);
  return done;
}

/** Writes what is to be said on the repository as it is now: reading a list takes a while, and others write too. */
async function writeFresh(
  { client, events }: KopiurPorts,
  repository: AnyRepository,
  say: Saying,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const object = await fetched(client, repository, signal);
      if (object.metadata.uid !== repository.metadata.uid) return;
      const status = say(object);
      const news = catalogNews(object, status);
      await (isOfCluster(object)
        ? writeFitted(client, { resource: clusterRepositoryResource, object, status }, { signal })
        : writeFitted(client, { resource: repositoryResource, object, status }, { signal }));
      if (news) events.event(object, news);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

function fetched(
  client: Pick<Client, "get">,
  repository: AnyRepository,
  signal: AbortSignal,
): Promise<AnyRepository> {
  const { metadata } = repository;
  return isOfCluster(repository)
    ? client.get(clusterRepositoryResource, metadata, { signal })
    : client.get(repositoryResource, metadata, { signal });
}

/** Why a list could not be had, or what followed from it not be done. */
function problemOf(error: unknown): Problem {
  if (error instanceof EngineError) {
    return { class: ERROR_CLASSES[error.class].retry, reason: error.class, message: sentence(error) };
  }
  const { class: found, reason, message } = judge(error);
  return { class: found === "conflict" ? "transient" : found, reason, message };
}
