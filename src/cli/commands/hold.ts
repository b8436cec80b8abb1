import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { clusterText } from "../frame/cluster_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { patched } from "./patched.ts";

const WHAT = { kinds: ["backup"], usual: "backup" };

/** Keeps a Backup, whatever retention says and whoever deletes it. */
export async function hold(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), WHAT);
  const patch = { metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } };
  const cluster = clusterText(await call.cluster());
  const said = `Backup ${reference.name} is held in cluster ${cluster}: retention keeps it, and it cannot be deleted. holdfast unhold ends that.`;
  await patched(call, reference, patch, () => said);
  return EXIT.done;
}

/** Lets a Backup go again. */
export async function unhold(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), WHAT);
  const patch = { metadata: { annotations: { [ANNOTATIONS.hold]: null } } };
  const cluster = clusterText(await call.cluster());
  const said = `Backup ${reference.name} is not held any more in cluster ${cluster}: retention may prune it, and it can be deleted.`;
  await patched(call, reference, patch, () => said);
  return EXIT.done;
}
