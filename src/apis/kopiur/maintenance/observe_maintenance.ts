import { FIRST_ATTEMPT, renewed } from "../../../core/work/run_record.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { CAPABILITIES } from "../../../wire/capabilities.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, type OutlookRequest, outlookOf } from "../ground.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { recordOf, recordsOf } from "../records.ts";
import { useRepository } from "../repository_use.ts";
import { operatorNamespaceOf } from "../settings.ts";
import type { Ground } from "../task.ts";
import { backupsIn } from "./backups_in.ts";
import type { ObservedMaintenance } from "./decide_maintenance.ts";
import { maintainersOf } from "./maintainers_of.ts";
import { brokenRule, isStopped, unusable } from "./maintenance_problem.ts";
import { planTurn } from "./plan_turn.ts";
import { hasteProblem, sharersOf, standsBack } from "./shared_repository.ts";
import { MEMORY, memoryOf, purposeOf, type Turn } from "./turn.ts";
import { needsAlone, turnTask } from "./turn_task.ts";

/** What was observed, and what is left to be done about runs of earlier turns. */
export interface MaintenanceView {
  readonly observed: ObservedMaintenance;
  readonly earlier: readonly Outlook[];
}

/** Looks at a Maintenance, its repository and its runs. */
export async function observeMaintenance(
  ports: KopiurPorts,
  maintenance: Maintenance,
  signal: AbortSignal,
): Promise<MaintenanceView> {
  const { settings, clock } = ports;
  const now = clock.now();
  const { namespace = "" } = maintenance.metadata;
  const use = useRepository(ports, maintenance.spec.repository, { namespace, witnesses: [maintenance] });
  const operatorNamespace = operatorNamespaceOf(settings);
  const { entitled } = maintainersOf(ports, use.key);
  const { repository } = use;
  const sharers = repository ? sharersOf(ports.caches, repository) : [];
  const behind = standsBack(ports, maintenance, sharers);
  const broken = brokenRule(maintenance, { entitled, operatorNamespace });
  const problem = broken ?? unusable(use, namespace === operatorNamespace) ?? behind;
  const stopped = isStopped(maintenance);
  const before = memoryOf(maintenance.status).turn;
  const busy = before !== undefined && isOpen(maintenance, before);
  const plan = planTurn({ maintenance, busy, mayBegin: !problem && !stopped, now });
  const { turn } = plan.memory;
  const seen = { maintenance, problem, stopped, plan, now };
  if (!repository) {
    const run = busy && problem ? { run: err(problem) } : {};
    return { observed: { ...seen, ...run, maintainer: false }, earlier: [] };
  }
  const { maintainer, locks } = CAPABILITIES[repository.spec.engine];
  const refusal = turn && !locks ? hasteProblem(turn, sharers) : undefined;
  const ground = await groundOf(ports, repository, namespace, signal);
  const view = { ports, maintenance, ground, signal };
  const gate = gateOf(problem ? err(problem) : ok(undefined));
  const cancel = stopped || [broken, behind, refusal].some((why) => why !== undefined);
  const run = turn && (await runOf(view, turn, { gate, cancel }));
  const backupOf = backupsIn(ports.caches, repository);
  const observed = { ...seen, run, refusal, maintainer, backupOf };
  return { observed, earlier: await earlierRuns(view, turn) };
}

interface View {
  readonly ports: KopiurPorts;
  readonly maintenance: Maintenance;
  readonly ground: Ground;
  readonly signal: AbortSignal;
}

function runOf(
  view: View,
  turn: Turn,
  how: Pick<OutlookRequest, "gate" | "cancel">,
): Promise<Result<Outlook, Problem>> {
  const { ports, maintenance, ground, signal } = view;
  const { status, spec } = maintenance;
  const { repository } = ground;
  const request: OutlookRequest = {
    task: turnTask(ground, maintenance, turn),
    status,
    policy: spec.failurePolicy,
    seat: {
      owner: maintenance,
      kind: "maintenance",
      recipe: maintenance.metadata.name,
      exclusive: needsAlone(turn, CAPABILITIES[repository.spec.engine].exclusiveMaintenance),
      repository,
    },
    ...how,
    ...editionOf(maintenance, turn),
  };
  return outlookOf(ports, request, signal);
}

/** Whether the turn's present step has not come to an end, or an edit lets it begin anew. */
function isOpen(maintenance: Maintenance, turn: Turn): boolean {
  const record = recordOf(maintenance.status, purposeOf(turn)) ?? FIRST_ATTEMPT;
  return renewed(record, editionOf(maintenance, turn).edition).outcome === undefined;
}

/** What failed is tried again after an edit; what somebody ended is not, nor anything while all is suspended. */
function editionOf(maintenance: Maintenance, turn: Turn): { readonly edition?: string } {
  const outcome = recordOf(maintenance.status, purposeOf(turn))?.outcome;
  const over = outcome === "Cancelled" || (outcome !== undefined && maintenance.spec.schedule.suspend);
  return over || isStopped(maintenance) ? {} : { edition: edition(maintenance) };
}

/** Runs of earlier turns and steps, which have to be tidied up. */
async function earlierRuns(view: View, turn: Turn | undefined): Promise<readonly Outlook[]> {
  const { ports, maintenance, ground, signal } = view;
  const { status } = maintenance;
  const current = turn && purposeOf(turn);
  const purposes = Object.keys(recordsOf(status)).filter((key) => key !== MEMORY && key !== current);
  // What the work was does not matter any more: only its name counts.
  const task = turnTask(ground, maintenance, { mode: "Quick", step: "Maintain", cause: "" });
  if (!task.ok) return [];
  const outlooks = await Promise.all(
    purposes.map((purpose) =>
      outlookOf(ports, { task: { ok: true, value: { ...task.value, purpose } }, status }, signal),
    ),
  );
  return outlooks.flatMap((outlook) => (outlook.ok ? [outlook.value] : []));
}
