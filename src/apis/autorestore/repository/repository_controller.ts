import { doChores } from "../../../core/maintenance/do_chores.ts";
import type { Decision } from "../../../core/reconcile/decision.ts";
import { conditionsFor, newsOf, readyStateOf, wakeFor } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import { cut } from "../../../core/reconcile/task_words.ts";
import type { RepositoryState } from "../../../core/repository/repository.ts";
import {
  type SeenRepository,
  translatedRepositoryController,
} from "../../../core/repository/repository_controller.ts";
import { answers } from "../../../core/repository/use_repository.ts";
import { withDeletions } from "../../../core/repository/with_deletions.ts";
import {
  type ResticRepository,
  type ResticRepositoryStatus,
  resticRepositoryResource,
} from "../../../kinds/autorestore/generated/restic_repository.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";
import { soonest } from "../../../lib/soonest.ts";
import { blockedDeletions, guardedRepository } from "../backup/deletion_guard.ts";
import { repositoryKeyOf } from "../caches.ts";
import type { AutorestorePorts } from "../ports.ts";
import { runContextOf } from "../run_context.ts";
import { coreRepository, MAX_RUNS } from "./core_repository.ts";
import { shownRepository } from "./repository_status.ts";
import { storeOf } from "./repository_url.ts";
import { urlOf } from "./repository_violations.ts";

/** Opens repositories, creates those that are missing, and maintains them by schedule. */
export function repositoryController(ports: AutorestorePorts): Controller {
  const { backups, claims } = ports.caches;
  const controller = translatedRepositoryController<ResticRepository>(ports, {
    name: "autorestore-repository",
    resource: resticRepositoryResource,
    cache: ports.caches.repositories,
    read: coreRepository,
    claims: { cache: claims, of: storeOf },
    reading: READING,
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
  // Deletions are guarded by what their repository remembers.
  return controller.watch(backups, {
    when: (change) => lastSeen(change).metadata.deletionTimestamp !== undefined,
    keys: (change) => [repositoryKeyOf(lastSeen(change))],
  });
}

const READING =
  "the operator does that at the next time of spec.maintenanceSchedule.verification, or of prune";

type Seen = SeenRepository<ResticRepository>;

/** The decision under the names of this API, with what is due by schedule. */
async function withChores(
  ports: AutorestorePorts,
  seen: Seen,
  signal: AbortSignal,
): Promise<Decision<ResticRepositoryStatus>> {
  const { object, repository, context, now } = seen;
  const guarded = guardedRepository(object);
  const decision = withDeletions(seen.decision, {
    repository,
    deletions: ports.deletionGuard.survey(guarded),
    blocked: ports.deletionGuard.deleting(guarded).flatMap(blockedDeletions),
    now,
  });
  const state = decision.status ?? repository.status ?? {};
  const status = shownRepository(object.status, state, urlOf(object.spec));
  if (!answers(state)) return { ...decision, status };
  const { maintenanceSchedule: schedule } = object.spec;
  const done = await doChores(
    ports,
    {
      ...{ resource: resticRepositoryResource, object, repository, context, now },
      ...{ schedule, marks: status.maintenance, work: recordsOf(status) },
    },
    signal,
  );
  return {
    ...decision,
    status: {
      ...status,
      work: done.work,
      maintenance: done.marks,
      ...(done.checkedAt ? { lastChecked: done.checkedAt } : {}),
      ...(done.intact ? { conditions: mergeConditions(status.conditions ?? [], [done.intact], now) } : {}),
    } as ResticRepositoryStatus,
    events: [...(decision.events ?? []), ...done.events],
    intents: [...decision.intents, ...done.intents],
    wakeAt: soonest(decision.wakeAt, done.wakeAt),
  };
}
