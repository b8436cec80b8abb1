import { conditionOf, type ShownObject } from "../../core/view/shown_object.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Maintenance, maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Resource } from "../../kube/resource.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { elapsed } from "../frame/elapsed.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { referenceOf } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";

/** What may be asked of a Maintenance: a run, a check that reads so much of the data, or to read one snapshot. */
export type Wish = "quick" | "full" | "full-immediate" | "check" | `check-${number}` | `snapshot-${string}`;

/** What is said before space is given back without the engine's safety delay. */
const IMMEDIATE = [
  "full-immediate gives space back AT ONCE, without the delay that protects what others are writing.",
  "Runs of this cluster wait for it. What another cluster or computer writes meanwhile can be DESTROYED.",
];

/** Maintains a repository now. */
export async function maintenanceRun(call: Call): Promise<ExitCode> {
  const wish = (call.given.text("mode") ?? "quick") as Wish;
  if (wish === "full-immediate") {
    for (const line of IMMEDIATE) call.progress.line(line);
    await confirmed(call, "Add --yes when nobody else writes to the repository, or take --mode full.");
  }
  const run = await asked(call, wish);
  if (!run) return EXIT.done;
  const { ended } = run;
  const { status } = ended;
  if (status?.failure) throw failureOf(ended);
  if (await printed(call, ended)) return EXIT.done;
  const freed = status?.[wish === "quick" ? "quick" : "full"]?.lastContentReclaimedBytes;
  call.out(
    `maintenance/${ended.metadata.name}: the ${wish} run is done${freed === undefined ? "" : `, and gave back ${bytesText(freed)}`}`,
  );
  return EXIT.done;
}

/** Asks the Maintenance of a repository for a run, and follows it to its end; undefined where nobody waits for that. */
export async function asked(
  call: Call,
  wish: Wish,
  of?: Named,
): Promise<{ readonly before: Maintenance; readonly ended: Maintenance } | undefined> {
  const { given, clock, signal, out, progress } = call;
  const { client } = await call.cluster();
  const name = of ?? (await maintenanceOf(call));
  const request = `${wish} ${stamp(call)}`;
  const patch = { metadata: { annotations: { [ANNOTATIONS.runRequested]: request } } };
  const before = await client.patch(maintenanceResource, name, { type: "merge", patch }, { signal });
  if (given.flag("no-wait")) {
    if (!(await printed(call, before))) out(`maintenance/${name.name} is asked for a ${wish} run`);
    return undefined;
  }
  progress.line(`maintenance/${name.name} is asked for a ${wish} run`);
  const endTicking = elapsed(call, wish);
  const show = showProgress<Maintenance>(call, () => undefined);
  const unheard = new AbortController();
  const cancel = isStalled(before) ? clock.after(UNHEARD, () => unheard.abort()) : () => {};
  let last = before;
  const ended = await follow(maintenanceResource, name, {
    client,
    clock,
    signal: AbortSignal.any([signal, unheard.signal]),
    look: (maintenance) => {
      show(maintenance);
      last = maintenance;
      if (!isStalled(maintenance) || maintenance.status?.handledRunRequest === request) cancel();
      return isOver(maintenance, request, before);
    },
  })
    .catch((error: unknown) => {
      // It stood still before, and does so still: nobody takes the request up.
      if (unheard.signal.aborted && !signal.aborted) return last;
      throw error;
    })
    .finally(() => {
      cancel();
      endTicking();
    });
  if (ended.status?.handledRunRequest !== request) throw failureOf(ended);
  return { before, ended };
}

/** How long a Maintenance that stood still before may take to answer a request otherwise. */
const UNHEARD = 30_000;

/** The request was taken up, and nothing runs any more; or it came to a stand that it was not in before. */
export function isOver(maintenance: Maintenance, request: string, before: Maintenance): boolean {
  const { phase, handledRunRequest } = maintenance.status ?? {};
  const stalled = isStalled(maintenance);
  if (handledRunRequest !== request) return stalled && !isSameStand(maintenance, before);
  return stalled || (phase !== "Running" && phase !== "Pending");
}

function isStalled(maintenance: Maintenance): boolean {
  return conditionOf(maintenance, "Stalled")?.status === "True";
}

function isSameStand(one: Maintenance, other: Maintenance): boolean {
  return JSON.stringify(conditionOf(one, "Stalled")) === JSON.stringify(conditionOf(other, "Stalled"));
}

type Named = Readonly<Record<"namespace" | "name", string>>;

async function maintenanceOf(call: Call): Promise<Named> {
  const { given } = call;
  const kinds = ["repository", "clusterrepository", "maintenance"];
  const { resource, name } = referenceOf(given.word(0), { kinds, usual: "repository" });
  const namespace = namespaceOf(call, await call.cluster());
  if (resource.kind === maintenanceResource.kind) return { namespace, name };
  return maintainerOf(call, resource, resource.namespaced ? { namespace, name } : { name });
}

/** The Maintenance of a repository. Throws a CommandProblem where it has none. */
export async function maintainerOf(
  call: Call,
  resource: Resource<ShownObject>,
  where: { readonly namespace?: string; readonly name: string },
): Promise<Named> {
  const { client } = await call.cluster();
  const { name } = where;
  const { status } = await client.get(resource, where, { signal: call.signal });
  const found = (status as { readonly maintenanceRef?: Named })?.maintenanceRef;
  if (found) return found;
  throw new CommandProblem(`${resource.kind} ${name} has no Maintenance`, {
    why: "No Maintenance names it, and none was made by default.",
    fix: "Set spec.maintenance.enabled of the repository to true, or write a Maintenance.",
    code: EXIT.notFound,
  });
}
