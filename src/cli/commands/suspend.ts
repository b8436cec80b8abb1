import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { patched } from "./patched.ts";

const WHAT = { kinds: ["schedule", "maintenance"], usual: "schedule" };

/** Lets a schedule, or a Maintenance, begin no more runs. */
export async function suspend(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), WHAT);
  const patch = { spec: { schedule: { suspend: true } } };
  const said = `${reference.resource.kind} ${reference.name} begins no more runs. What runs goes on.`;
  await patched(call, reference, patch, () => said);
  return EXIT.done;
}

/** Lets it begin runs again. */
export async function resume(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), WHAT);
  const isMaintenance = reference.resource.kind === maintenanceResource.kind;
  const patch = {
    // A run that was cancelled stopped those after it too.
    ...(isMaintenance ? { metadata: { annotations: { [ANNOTATIONS.cancel]: null } } } : {}),
    spec: { schedule: { suspend: false } },
  };
  const said = `${reference.resource.kind} ${reference.name} begins runs again.`;
  await patched(call, reference, patch, () => said);
  return EXIT.done;
}
