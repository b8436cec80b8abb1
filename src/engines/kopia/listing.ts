import { lines } from "../../lib/lines.ts";
import { streamKopia } from "./command.ts";
import type { KopiaConnection } from "./connection.ts";
import { type Manifest, parseManifest } from "./manifest.ts";

/** Every snapshot that is complete, companions included. */
export async function listManifests(
  { program, patienceMs }: KopiaConnection,
  options: { readonly what: string; readonly signal?: AbortSignal | undefined },
): Promise<readonly Manifest[]> {
  const args = ["snapshot", "list", "--all", "--show-identical", "--json"];
  const found: Manifest[] = [];
  for await (const line of lines(streamKopia(program, args, { ...options, patienceMs }))) {
    const text = line
      .trim()
      .replace(/,$/, "")
      .replace(/^\[(?=\{)/, "");
    if (!text.startsWith("{")) continue;
    const manifest = parseManifest(JSON.parse(text.replace(/(?<=\})\]$/, "")));
    // kopia keeps what a cancelled snapshot had uploaded under a manifest, for the next one to go on from.
    if (manifest && manifest.incomplete === undefined) found.push(manifest);
  }
  return found;
}
