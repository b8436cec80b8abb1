import type { ShownObject } from "../../core/view/shown_object.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { stamp } from "../frame/stamp.ts";
import { patched } from "./patched.ts";

/** Has an object tried again now: one that failed, or that waits for its next attempt. */
export async function retry(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), {
    kinds: ["backup", "restore", "repository", "clusterrepository", "maintenance"],
    usual: "backup",
  });
  const { resource, name } = reference;
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  refuseEnded(await cluster.client.get(resource, where, { signal: call.signal }));
  const patch = { metadata: { annotations: { [ANNOTATIONS.retryRequested]: stamp(call) } } };
  await patched(call, reference, patch, () => `${resource.kind} ${name} is tried again now.`);
  return EXIT.done;
}

/** What has succeeded is not done once more. Throws a CommandProblem. */
export function refuseEnded({ kind, metadata, status }: ShownObject): void {
  const { phase = "" } = status ?? {};
  if (!["Succeeded", "Completed", "Discovered"].includes(phase)) return;
  throw new CommandProblem(`${kind} ${metadata.name} is not tried again`, {
    why: `It is ${phase}.`,
    fix:
      kind === "Restore"
        ? "Create another one: holdfast restore."
        : "Make another one: holdfast backup now <config>.",
    code: EXIT.usage,
  });
}
