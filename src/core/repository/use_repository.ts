import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Tenant } from "../consent/permission.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { type Problem, waits } from "../reconcile/problem.ts";
import { problemOf, type Violation } from "../reconcile/violation.ts";
import type { Settings } from "../work/settings.ts";
import type { Ready, Repository, RepositoryState } from "./repository.ts";

/** Who wants to use a repository. */
export interface RepositoryConsumer<R extends Repository = Repository> {
  readonly namespace: string;
  /**
   * The objects whose authors may have been allowed to refer to it: the one with the reference. What a status says is
   * no witness.
   */
  readonly witnesses: readonly (KubeObject | undefined)[];
  /** Where the run is, if it is elsewhere: Secrets are lent to it there. */
  readonly runsIn?: string;
  /** The repository's namespace has listed the one that the run is in, on what leads to the repository. */
  readonly vouched?: (repository: R) => boolean;
}

/** A namespace that wants to use a repository. */
export interface RepositoryUser extends Tenant {
  /** The objects on which admission may have noted that their author was allowed to refer to the repository. */
  readonly witnesses: readonly KubeObject[];
}

/** Why something is not allowed; `unknown` while what decides it has not been read. */
type Objection = Violation | "unknown";

/** How an API finds its repositories, and says who may use them. */
export interface RepositoryDirectory<Ref, R extends Repository> {
  /** The key of the repository that an object of this namespace refers to. */
  key(ref: Ref, namespace: string): ObjectKey;
  /** The repository of a key, with its kind, as people know it. */
  text(key: ObjectKey): string;
  find(key: ObjectKey): R | undefined;
  /** Why repositories such as the one that is referred to are not looked at. */
  unwatched(ref: Ref): Problem | undefined;
  namespace(name: string): KubeObject | undefined;
  /** Why a namespace may not use the repository. */
  objection(repository: R, user: RepositoryUser): Objection | undefined;
  /** Why a run in the user's namespace may not be lent its Secrets. */
  lendingObjection(repository: R, user: RepositoryUser): Objection | undefined;
}

/** A repository, as somebody may use it. */
export interface RepositoryUse<R extends Repository = Repository> {
  readonly key: ObjectKey;
  /** As it is, whether or not it may be used: what runs already is looked after. */
  readonly repository: R | undefined;
  /** The repository, if it is there and may be used by this consumer. */
  readonly permitted: Result<R, Problem>;
  /** The same, if it also answered when it was last asked: work may begin. */
  readonly ready: Result<Ready<R>, Problem>;
}

/** Looks up the repository that a reference means, and whether it may be used. */
export function useRepository<Ref, R extends Repository>(
  directory: RepositoryDirectory<Ref, R>,
  settings: Settings,
  ref: Ref,
  consumer: RepositoryConsumer<R>,
): RepositoryUse<R> {
  const { namespace, runsIn = namespace, vouched = () => false } = consumer;
  const key = directory.key(ref, namespace);
  const unwatched = directory.unwatched(ref);
  if (unwatched) return { key, repository: undefined, permitted: err(unwatched), ready: err(unwatched) };
  const repository = directory.find(key);
  const ready = readyRepository(repository, directory.text(key));
  if (!repository || repository.metadata.deletionTimestamp)
    return { key, repository, permitted: ready, ready };
  const witnesses = settings.guarded ? consumer.witnesses.filter((one) => one !== undefined) : [];
  const user = (name: string): RepositoryUser => ({ ...tenantOf(directory, name), witnesses });
  const objection = directory.objection(repository, user(namespace));
  const lends = settings.lendSecrets && !vouched(repository);
  const why = objection ?? (lends ? directory.lendingObjection(repository, user(runsIn)) : undefined);
  if (why === undefined) return { key, repository, permitted: ok(repository), ready };
  const problem = err(
    why === "unknown" ? unread(directory.text(key), objection ? namespace : runsIn) : problemOf(why),
  );
  return { key, repository, permitted: problem, ready: problem };
}

/** The repository, if it can be used now; or what it waits for. `name`: as people know it. */
export function readyRepository<R extends Repository>(
  repository: R | undefined,
  name: string,
): Result<Ready<R>, Problem> {
  if (!repository || repository.metadata.deletionTimestamp) {
    return err(waits("RepositoryNotFound", `${name} does not exist. Create it, or correct the reference.`));
  }
  const { status } = repository;
  if (status?.uniqueID && answers(status)) return ok(repository as Ready<R>);
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return err(waits("RepositoryNotReady", `${name} is not ready${why ? `: ${why}` : " yet."}`));
}

/** One whose data is damaged answers: what is whole can be restored, and only a check says when all is well again. */
export function answers({ phase, conditions = [] }: RepositoryState): boolean {
  const connected = conditions.some(({ type, status }) => type === CONDITIONS.connected && status === "True");
  return phase === "Ready" || (phase === "Degraded" && connected);
}

function tenantOf(
  directory: Pick<RepositoryDirectory<never, never>, "namespace">,
  namespace: string,
): Tenant {
  const found = directory.namespace(namespace);
  return { namespace, labels: found && (found.metadata.labels ?? {}) };
}

function unread(repository: string, namespace: string): Problem {
  return waits(
    "NamespaceUnknown",
    `Whether namespace ${namespace} may use ${repository} is not known yet: the namespace's labels have not been read.`,
  );
}
