import { systemRandom as random } from "../../../lib/random.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { FidelityProgram } from "../../fidelity/fidelity_program.ts";
import { printingProcesses } from "../../testing/printing_processes.ts";
import { KopiaConnection } from "../connection.ts";
import { KnownPolicies } from "../known_policies.ts";
import { KopiaRepository } from "../kopia_repository.ts";

/**
 * A repository whose kopia prints what `print` gives, and the commands that it was given, without their flags. It hangs
 * at the command that `hangsAt` begins.
 */
export async function printingKopia(
  folder: string,
  print: (command: string, earlier: readonly string[]) => string,
  hangsAt?: string,
) {
  const clock = new VirtualClock();
  const commands: string[] = [];
  const commandOf = (args: readonly string[]) => args.filter((arg) => !arg.startsWith("--")).join(" ");
  const hangs = (args: readonly string[]) => hangsAt !== undefined && commandOf(args).startsWith(hangsAt);
  const processes = printingProcesses((args) => {
    const command = commandOf(args);
    const text = print(command, commands);
    commands.push(command);
    return [text];
  }, hangs);
  const programs = { program: "kopia", fidelityProgram: "fidelity", folder, processes };
  const location = { backend: { s3: { bucket: "b" } }, credentials: {}, password: "p" };
  const connection = new KopiaConnection({ ...programs, clock, random }, location, {});
  await connection.write();
  const kopia = new KopiaRepository({
    ...{ created: false, connection, readOnly: false },
    // Nothing here looks at files.
    fidelity: {} as FidelityProgram,
    look: { id: "id", policies: new KnownPolicies({}, 0) },
  });
  return { kopia, commands, clock };
}

/** As `kopia snapshot list --json` prints them. */
export function listing(manifests: readonly object[]): string {
  return `[${manifests.map((one) => JSON.stringify(one)).join(",\n")}]`;
}
