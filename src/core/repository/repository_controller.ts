import type { Cache } from "../../kube/cache/cache.ts";
import { findIn } from "../../kube/cache/found.ts";
import { Controller, done, type Outcome } from "../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey, type ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { act } from "../reconcile/act.ts";
import type { Decision } from "../reconcile/decision.ts";
import { controllerPorts, type EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordHoldersOf } from "../reconcile/record_holders_of.ts";
import { recordsOf } from "../reconcile/records.ts";
import { type TaskPlan, withEarlier } from "../reconcile/task_plan.ts";
import type { QueueLimits } from "../work/queue/repository_queue.ts";
import { FOREVER } from "../work/run_policy.ts";
import { operatorNamespaceOf } from "../work/settings.ts";
import { connectTask } from "./connect_task.ts";
import { contactOf, isContact } from "./contact.ts";
import { decideRepository } from "./decide_repository.ts";
import { planTask } from "./plan_task.ts";
import type { Repository, RepositoryState } from "./repository.ts";
import { queueLimitsOf } from "./slot.ts";
import type { RunContext } from "./task_for.ts";
import { withTraffic } from "./traffic.ts";
import { volumeProblem } from "./volume_problem.ts";
import { withTrouble } from "./with_trouble.ts";

/** A repository that does not answer is asked again for as long as it is wanted. */

/** A kind of an API whose objects are repositories. */
export interface RepositoryKind<T extends Repository> extends AnyKind<T> {
  /** Looks up what a run in this namespace needs to know. */
  context(repository: T, namespace: string, signal: AbortSignal): Promise<RunContext>;
  /** The decision, with what the API says of its repositories besides. Default: nothing. */
  also?(decision: Decision<RepositoryState>, repository: T, now: number): Decision<RepositoryState>;
}

/** A kind of an API whose objects say in another way what is a repository. */
export interface TranslatedKind<T extends Kept> extends AnyKind<T> {
  /** The object as the engine room knows repositories; or why it is none. */
  read(object: T): Result<Repository, Problem>;
  /** How much may be done on it at once. */
  limits(object: T): QueueLimits;
  context(repository: Repository, namespace: string, signal: AbortSignal): Promise<RunContext>;
  /** The decision under the names of its API, with what the API does besides. */
  write(seen: SeenRepository<T>, signal: AbortSignal): Promise<Decision<object>>;
  /** What is said of an object that is no repository. */
  refuse(object: T, problem: Problem): Decision<object>;
}

/** A repository of another shape, and what was decided for it. */
export interface SeenRepository<T> {
  readonly object: T;
  readonly repository: Repository;
  readonly context: RunContext;
  readonly decision: Decision<RepositoryState>;
  readonly now: number;
}

interface AnyKind<T extends KubeObject> {
  /** The controller's, as in logs and metrics. */
  readonly name: string;
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** The claims that repositories lie on. Default: nobody knows. */
  readonly claims?: {
    readonly cache: Cache<KubeObject>;
    /** The one of a repository, where it lies on one. */
    of(repository: T): ObjectName | undefined;
  };
  /** How all data comes to be read once damage was met. Default: with the command line. */
  readonly reading?: string;
}

type Kept = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** Connects to the repositories of a kind, and creates those that are to be created. */
export function repositoryController<T extends Repository>(
  room: EngineRoom,
  kind: RepositoryKind<T>,
): Controller {
  const { also = (decision) => decision } = kind;
  return translatedRepositoryController<T>(room, {
    ...kind,
    read: ok,
    limits: queueLimitsOf,
    context: (repository, ...at) => kind.context(repository as T, ...at),
    write: async ({ object, decision, now }) => also(decision, object, now),
    refuse: () => ({ intents: [] }),
  });
}

/** The same, for a kind whose objects have another shape. */
export function translatedRepositoryController<T extends Kept>(
  room: EngineRoom,
  kind: TranslatedKind<T>,
): Controller {
  const { name, cache, resource, limits } = kind;
  const controller = new Controller({
    ...controllerPorts(room),
    name,
    concurrency: 4,
    reconcile: (key, signal) => reconcile(room, kind, key, signal),
  }).watch(cache);
  if (kind.claims) watchClaims(controller, cache, kind.claims);
  room.tasks.wake(controller, resource);
  room.queues.recordHolders(recordHoldersOf(cache, controller));
  room.queues.repositories({ cache, terms: limits, wake: (one) => controller.enqueue(one) });
  return controller;
}

/** A repository is looked at when the claim that it lies on comes or goes. */
function watchClaims<T extends KubeObject>(
  controller: Controller,
  repositories: Cache<T>,
  { cache, of }: NonNullable<AnyKind<T>["claims"]>,
): void {
  const isGoing = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;
  controller.watch(cache, {
    when: (change) => change.type !== "updated" || isGoing(change.object) !== isGoing(change.previous),
    keys: ({ key }) =>
      [...repositories.values()]
        .filter((repository) => {
          const claim = of(repository);
          return claim !== undefined && keyOf(claim) === key;
        })
        .map(keyOf),
  });
}

async function reconcile<T extends Kept>(
  room: EngineRoom,
  kind: TranslatedKind<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { resource, cache } = kind;
  const object = cache.get(key);
  if (!object || object.metadata.deletionTimestamp) return done;
  const read = kind.read(object);
  if (!read.ok) return act(room, { resource, object }, kind.refuse(object, read.error), signal);
  const repository = read.value;
  const { namespace = operatorNamespaceOf(room.settings), uid } = repository.metadata;
  const context = await kind.context(repository, namespace, signal);
  const { status } = repository;
  const now = room.clock.now();
  const evidence = room.queues.evidence(uid);
  const contact = contactOf(repository, now, evidence);
  const claim = kind.claims?.of(object);
  const homeless = volumeProblem(
    repository,
    claim && kind.claims ? findIn(kind.claims.cache, claim) : "unknown",
  );
  const plan = (purpose: string, more = {}) =>
    planTask(room, { task: connectTask(context, resource, purpose), status, ...more }, signal);
  const connection = homeless
    ? err(homeless)
    : await plan(contact.purpose, { policy: FOREVER, cancel: contact.outdated });
  const decision = decideRepository({ repository, contact, connection, now });
  const earlier = Object.keys(recordsOf(status)).filter(
    (purpose) => isContact(purpose) && purpose !== contact.purpose,
  );
  const ended = await Promise.all(earlier.map((purpose) => plan(purpose)));
  const plans = ended.flatMap((one): readonly TaskPlan[] => (one.ok ? [one.value] : []));
  const traffic = { repository, evidence, runs: room.queues.count(uid), reading: kind.reading, now };
  const known = withTrouble(withTraffic(withEarlier(decision, plans), traffic), traffic);
  const written = await kind.write({ object, repository, context, decision: known, now }, signal);
  return act(room, { resource, object }, written, signal);
}
