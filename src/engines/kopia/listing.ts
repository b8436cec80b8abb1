import { lines } from "../../lib/lines.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { parsedLine } from "../parsed_line.ts";
import { type CommandOptions, streamKopia } from "./command.ts";
import type { KopiaConnection } from "./connection.ts";
import { type Manifest, parseManifest } from "./manifest.ts";

/** Every snapshot that is complete, companions included. */
export async function listManifests(
  { program, patienceMs }: KopiaConnection,
  options: Pick<CommandOptions, "what" | "signal" | "meter">,
): Promise<readonly Manifest[]> {
  const args = ["snapshot", "list", "--all", "--show-identical", "--json"];
  const found: Manifest[] = [];
  for await (const line of lines(streamKopia(program, args, { ...options, patienceMs }))) {
    // One array, of which each element is a line.
    const text = line.trim().replace(/^\[|(?<=\})[\],]+$/g, "");
    const value = parsedLine(text);
    // Whoever deletes what is not in the list must not take a part of it for the whole.
    if (value === text && text.startsWith('{"')) {
      throw new EngineError(
        "EngineFailed",
        `${options.what}: a snapshot's line in kopia's list cannot be read`,
      );
    }
    const manifest = parseManifest(value);
    // kopia keeps what a cancelled snapshot had uploaded under a manifest, for the next one to go on from.
    if (manifest && manifest.incomplete === undefined) found.push(manifest);
  }
  return found;
}
