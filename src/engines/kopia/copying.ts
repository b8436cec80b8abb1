import { EngineError } from "../../wire/engine_error.ts";
import { type Identity, identityText, sameIdentity } from "../../wire/identity.ts";
import type { CopyOptions, CopyResult } from "../engine.ts";
import { callFor } from "../meter.ts";
import type { CommandOptions } from "./command.ts";
import { companionOf } from "./companion.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { keyOf, type Manifest, matches, sortOut } from "./manifest.ts";

const WHAT = "copying snapshots";

/** What a copy is to bring there. */
interface Asked {
  readonly wanted: readonly Manifest[];
  /** Those that the source holds, by what they have in common with their data. */
  readonly companions: ReadonlyMap<string, Manifest>;
}

/**
 * Copies snapshots with their companions. kopia copies all snapshots of an identity that are not there yet, or none:
 * what came along and was not asked for is deleted again. Ended by force before that, it leaves them there, and nothing
 * tells them from what somebody wanted to be there: the next copy lets them be.
 */
export async function copySnapshots(
  source: KopiaRepository,
  destination: KopiaRepository,
  { filter = {}, ...options }: CopyOptions,
): Promise<CopyResult> {
  const call = callFor(WHAT, options, source.connection.program.clock);
  const { data, companions } = sortOut(await source.manifests(call));
  const wanted = data.filter((manifest) => matches(manifest, filter));
  if (wanted.length === 0) return { copied: 0, alreadyThere: 0 };
  const missing = absent({ wanted, companions }, await destination.manifests(call));
  if (missing.length > 0) await migrate(source, destination, { wanted: missing, companions }, call);
  return { copied: missing.length, alreadyThere: wanted.length - missing.length };
}

/** What of it is not there, or is without the companion that it has at the source. */
function absent({ wanted, companions }: Asked, there: readonly Manifest[]): readonly Manifest[] {
  const found = keys(there);
  const { companions: held } = sortOut(there);
  const isAlone = (manifest: Manifest) => companions.has(keyOf(manifest)) && !held.has(keyOf(manifest));
  return wanted.filter((manifest) => !found.has(key(manifest)) || isAlone(manifest));
}

async function migrate(
  source: KopiaRepository,
  destination: KopiaRepository,
  request: Asked,
  call: CommandOptions,
): Promise<void> {
  const { wanted } = request;
  const before = keys(await destination.manifests(call));
  const sources = [...new Set(wanted.flatMap(({ identity }) => pair(identity)))];
  await source.connection.writePassword();
  try {
    const config = `--source-config=${source.connection.configFile}`;
    const args = [
      "snapshot",
      "migrate",
      config,
      "--no-policies",
      ...sources.map((text) => `--sources=${text}`),
    ];
    // Only then does kopia read a password from a file.
    const env = { KOPIA_PERSIST_CREDENTIALS_ON_CONNECT: "true" };
    await destination.run(args, { ...call, mustMove: true, env });
  } finally {
    await source.connection.removePassword();
  }
  // kopia reports success even when a source could not be copied.
  const arrived = await destination.manifests(call);
  const lost = absent(request, arrived);
  if (lost[0]) {
    const name = identityText(lost[0].identity);
    throw new EngineError("EngineFailed", `${WHAT}: ${lost.length} did not arrive, such as one of ${name}`);
  }
  const asked = keys(wanted);
  const added = sortOut(arrived).data.filter(
    (manifest) => !before.has(key(manifest)) && !asked.has(key(manifest)) && ofOurs(manifest, wanted),
  );
  if (added.length === 0) return;
  // Others may have written to the destination meanwhile: only what the source holds was copied.
  const copied = keys(await source.manifests(call));
  const unasked = added.filter((manifest) => copied.has(key(manifest)));
  await destination.delete(
    unasked.map(({ id }) => id),
    call.signal ? { signal: call.signal } : {},
  );
}

/** kopia was asked for this identity. */
function ofOurs({ identity }: Manifest, wanted: readonly Manifest[]): boolean {
  return wanted.some((manifest) => sameIdentity(manifest.identity, identity));
}

/** The companion first: data is never there without it. */
function pair(identity: Identity): readonly string[] {
  return [identityText(companionOf(identity)), identityText(identity)];
}

function keys(manifests: readonly Manifest[]): ReadonlySet<string> {
  return new Set(manifests.map(key));
}

/** kopia gives a copy another ID, and keeps when it was taken. */
function key({ identity, startedAt }: Manifest): string {
  return `${identityText(identity)} ${startedAt}`;
}
