import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { patched } from "./patched.ts";

const ENDED = ["Succeeded", "Failed", "Completed", "Discovered"];

/** Asks for the end of a run. What it has written so far is settled by the operator. */
export async function cancel(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), {
    kinds: ["backup", "restore", "maintenance"],
    usual: "backup",
  });
  const { resource, name } = reference;
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { status } = await cluster.client.get(resource, { namespace, name }, { signal: call.signal });
  const phase = status?.phase ?? "";
  if (ENDED.includes(phase)) {
    throw new CommandProblem(`${resource.kind} ${name} cannot be cancelled`, {
      why: `It has ended: it is ${phase}.`,
    });
  }
  const lasting =
    resource.kind === maintenanceResource.kind
      ? ` No run begins while the annotation is there: holdfast resume maintenance/${name} removes it.`
      : "";
  const patch = { metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } } };
  await patched(call, reference, patch, () => `${resource.kind} ${name} is asked to end.${lasting}`);
  return EXIT.done;
}
