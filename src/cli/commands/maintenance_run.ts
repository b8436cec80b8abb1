import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Maintenance, maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { bytesText } from "../bytes_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { conditionOf, referenceOf } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";

/** What may be asked of a Maintenance. */
export type Wish = "quick" | "full" | "full-immediate" | "check";

/** Maintains a repository now. */
export async function maintenanceRun(call: Call): Promise<ExitCode> {
  const wish = (call.given.text("mode") ?? "quick") as Wish;
  const run = await asked(call, wish);
  if (!run) return EXIT.done;
  const { ended } = run;
  const { status } = ended;
  if (status?.failure) throw failureOf(ended);
  if (await printed(call, [ended])) return EXIT.done;
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
): Promise<{ readonly before: Maintenance; readonly ended: Maintenance } | undefined> {
  const { given, clock, signal, out, progress } = call;
  const { client } = await call.cluster();
  const name = await maintenanceOf(call);
  const request = `${wish} ${stamp(call)}`;
  const patch = { metadata: { annotations: { [ANNOTATIONS.runRequested]: request } } };
  const before = await client.patch(maintenanceResource, name, { type: "merge", patch }, { signal });
  if (given.flag("no-wait")) {
    out(`maintenance/${name.name} is asked for a ${wish} run`);
    return undefined;
  }
  progress.line(`maintenance/${name.name} is asked for a ${wish} run`);
  const show = showProgress<Maintenance>(call, () => undefined);
  const ended = await follow(maintenanceResource, name, {
    client,
    clock,
    signal,
    look: (maintenance) => {
      show(maintenance);
      return isOver(maintenance, request);
    },
  });
  const stalled = conditionOf(ended, "Stalled");
  if (ended.status?.handledRunRequest !== request && stalled?.status === "True") throw failureOf(ended);
  return { before, ended };
}

/** The request was taken up, and nothing runs any more; or nobody will take it up before something is changed. */
export function isOver(maintenance: Maintenance, request: string): boolean {
  const { phase, handledRunRequest } = maintenance.status ?? {};
  const stalled = conditionOf(maintenance, "Stalled")?.status === "True";
  if (handledRunRequest !== request) return stalled;
  return stalled || (phase !== "Running" && phase !== "Pending");
}

async function maintenanceOf(call: Call): Promise<{ readonly namespace: string; readonly name: string }> {
  const { given, signal } = call;
  const cluster = await call.cluster();
  const kinds = ["repository", "clusterrepository", "maintenance"];
  const { resource, name } = referenceOf(given.word(0), { kinds, usual: "repository" });
  const namespace = namespaceOf(call, cluster);
  if (resource.kind === maintenanceResource.kind) return { namespace, name };
  const where = resource.namespaced ? { namespace, name } : { name };
  const { status } = await cluster.client.get(resource, where, { signal });
  const found = (
    status as { readonly maintenanceRef?: { readonly namespace: string; readonly name: string } }
  )?.maintenanceRef;
  if (found) return found;
  throw new CommandProblem(`${resource.kind} ${name} has no Maintenance`, {
    why: "No Maintenance names it, and none was made by default.",
    fix: "Set spec.maintenance.enabled of the repository to true, or write a Maintenance.",
    code: EXIT.notFound,
  });
}
