import type { Decision } from "../../../core/reconcile/decision.ts";
import { conditionsFor, newsOf, readyStateOf, wakeFor } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import { carryOut, type TaskPlan } from "../../../core/reconcile/task_plan.ts";
import { cut, sentence } from "../../../core/reconcile/task_words.ts";
import { planTask } from "../../../core/repository/plan_task.ts";
import type { RepositoryState } from "../../../core/repository/repository.ts";
import {
  type SeenRepository,
  translatedRepositoryController,
} from "../../../core/repository/repository_controller.ts";
import { taskFor } from "../../../core/repository/task_for.ts";
import { withDeletions } from "../../../core/repository/with_deletions.ts";
import type { EndedTask } from "../../../core/work/task_decision.ts";
import {
  type ResticRepository,
  type ResticRepositoryStatus,
  resticRepositoryResource,
} from "../../../kinds/autorestore/generated/restic_repository.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { findIn } from "../../../kube/cache/found.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import { keyOf } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { soonest } from "../../../lib/soonest.ts";
import { blockedDeletions, guardedRepository } from "../backup/deletion_guard.ts";
import { repositoryKeyOf } from "../caches.ts";
import type { AutorestorePorts } from "../ports.ts";
import { runContextOf } from "../run_context.ts";
import {
  afterChore,
  type Chore,
  type ChoreRun,
  choreCrons,
  choreWork,
  decideChores,
  isChore,
} from "./chores.ts";
import { coreRepository, MAX_RUNS } from "./core_repository.ts";
import { shownRepository } from "./repository_status.ts";
import { urlOf } from "./repository_violations.ts";

/** Opens repositories, creates those that are missing, and maintains them by schedule. */
export function repositoryController(ports: AutorestorePorts): Controller {
  const { backups, claims, repositories } = ports.caches;
  const controller = translatedRepositoryController<ResticRepository>(ports, {
    name: "autorestore-repository",
    resource: resticRepositoryResource,
    cache: ports.caches.repositories,
    read: coreRepository,
    claim: ({ metadata: { namespace }, spec: { volume } }) =>
      volume ? findIn(claims, { namespace, name: volume.claimName }) : "unknown",
    limits: ({ status }) => ({
      maxRuns: MAX_RUNS,
      breaker: (status?.state as RepositoryState | undefined)?.breaker?.state ?? "Closed",
    }),
    context: (repository, namespace, signal) => runContextOf(ports, repository, namespace, signal),
    write: (seen, signal) => withChores(ports, seen, signal),
    refuse: (object, problem) => {
      const now = ports.clock.now();
      const readyState = readyStateOf(problem);
      const conditions = conditionsFor(object, readyState, [], now);
      return {
        status: { ...object.status, phase: "Failed", error: cut(problem.message, 1024), conditions },
        intents: [],
        events: newsOf(object, readyState),
        wakeAt: wakeFor(problem, now),
      };
    },
  });
  return (
    controller
      // Deletions are guarded by what their repository remembers.
      .watch(backups, {
        when: (change) => lastSeen(change).metadata.deletionTimestamp !== undefined,
        keys: (change) => [repositoryKeyOf(lastSeen(change))],
      })
      .watch(claims, {
        when: ({ type }) => type !== "updated",
        keys: ({ key }) =>
          [...repositories.values()]
            .filter(({ metadata: { namespace }, spec: { volume } }) =>
              volume ? keyOf({ namespace, name: volume.claimName }) === key : false,
            )
            .map(keyOf),
      })
  );
}

type Seen = SeenRepository<ResticRepository>;

/** The decision under the names of this API, with what is due by schedule. */
async function withChores(
  ports: AutorestorePorts,
  seen: Seen,
  signal: AbortSignal,
): Promise<Decision<ResticRepositoryStatus>> {
  const { object, repository, now } = seen;
  const guarded = guardedRepository(object);
  const decision = withDeletions(seen.decision, {
    repository,
    deletions: ports.deletionGuard.survey(guarded),
    blocked: ports.deletionGuard.deleting(guarded).flatMap(blockedDeletions),
    now,
  });
  const state = decision.status ?? repository.status ?? {};
  const status = shownRepository(object.status, state, urlOf(object.spec));
  const crons = choreCrons(object);
  if (!crons.ok || status.phase !== "Ready") return { ...decision, status };
  const { run, next, wakeAt } = decideChores(object, crons.value, now);
  const marked = { ...status, maintenance: withNext(status.maintenance, next) };
  if (!run) return { ...decision, status: marked, wakeAt: soonest(decision.wakeAt, wakeAt) };
  const plan = await planChore(ports, seen, run, signal);
  if (!plan.ok) return { ...decision, status: marked, wakeAt: soonest(decision.wakeAt, now + 300_000) };
  const doing = carryOut(plan.value);
  return {
    ...decision,
    status: choreStatus(marked, run, plan.value, now),
    intents: [...decision.intents, ...doing.intents],
    wakeAt: soonest(decision.wakeAt, wakeAt, doing.wakeAt),
  };
}

function planChore(
  ports: AutorestorePorts,
  { object, repository, context }: Seen,
  run: ChoreRun,
  signal: AbortSignal,
) {
  const owner = { resource: resticRepositoryResource, object };
  const task = taskFor({ ...context, owner, purpose: run.purpose }, () => ({
    work: choreWork(object, run.chore),
  }));
  const slot = { owner: object, slot: "maintenance", kind: "maintenance", recipe: "maintenance" } as const;
  return planTask(
    ports,
    {
      task,
      status: object.status,
      policy: { backoffLimit: 1, activeDeadlineSeconds: 14_400 },
      slot: { ...slot, exclusive: true, repository },
    },
    signal,
  );
}

function choreStatus(
  status: ResticRepositoryStatus,
  run: ChoreRun,
  { decision: { record, state } }: TaskPlan,
  now: number,
): ResticRepositoryStatus {
  const others = Object.entries(recordsOf(status)).filter(([purpose]) => !isChore(purpose));
  const work = { ...Object.fromEntries(others), [run.purpose]: record };
  if (state.phase !== "Ended" || !state.result) return { ...status, work };
  const end = endOf(state);
  const checked = end.succeeded && run.chore !== "prune" ? { lastChecked: timestamp(now) } : {};
  return { ...status, work, ...checked, maintenance: afterChore(status.maintenance, run, end, now) };
}

function endOf({ outcome, result }: EndedTask): { readonly succeeded: boolean; readonly message: string } {
  const message = result?.failure ? sentence(result.failure) : "The run was cancelled.";
  const problems = result?.answer && "check" in result.answer ? result.answer.check.problems : [];
  if (problems.length > 0) {
    const found = `The check found damage: ${problems.join("; ")}. Back up to another target, and repair the repository.`;
    return { succeeded: false, message: cut(found, 1024) };
  }
  return { succeeded: outcome === "Succeeded", message: cut(message, 1024) };
}

function withNext(
  before: ResticRepositoryStatus["maintenance"],
  next: Readonly<Partial<Record<Chore, number>>>,
): NonNullable<ResticRepositoryStatus["maintenance"]> {
  const times = Object.entries(next).map(([chore, at]) => [
    chore,
    { ...before?.[chore as Chore], nextTime: timestamp(at) },
  ]);
  return { ...before, ...Object.fromEntries(times) };
}
