import { EngineError } from "../../wire/engine_error.ts";
import { type Identity, identityText } from "../../wire/identity.ts";
import type { CopyOptions, CopyResult } from "../engine.ts";
import { companionOf } from "./companion.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, sortOut } from "./manifest.ts";

const WHAT = "copying snapshots";

/** Copies whole identities, with their companions: kopia copies by source, and leaves out what is there already. */
export async function copySnapshots(
  source: KopiaRepository,
  destination: KopiaRepository,
  options: CopyOptions,
): Promise<CopyResult> {
  const { filter = {}, signal, onProgress } = options;
  if (filter.run !== undefined || filter.tags !== undefined) {
    throw new EngineError(
      "Unsupported",
      `${WHAT}: kopia copies by user, host and path, and not by run or tags`,
    );
  }
  const wanted = sortOut(await source.manifests(options)).data.filter(
    ({ identity: { username, hostname, path } }) =>
      (filter.username ?? username) === username &&
      (filter.hostname ?? hostname) === hostname &&
      (filter.path ?? path) === path,
  );
  if (wanted.length === 0) return { copied: 0, alreadyThere: 0 };
  const before = keys(await destination.manifests(options));
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
    await destination.run(args, { what: WHAT, signal, onProgress, env });
  } finally {
    await source.connection.removePassword();
  }
  // kopia reports success even when a source could not be copied.
  const after = keys(await destination.manifests(options));
  const missing = wanted.filter((manifest) => !after.has(key(manifest)));
  if (missing[0]) {
    const name = identityText(missing[0].identity);
    throw new EngineError(
      "EngineFailed",
      `${WHAT}: ${missing.length} did not arrive, such as one of ${name}`,
    );
  }
  const alreadyThere = wanted.filter((manifest) => before.has(key(manifest))).length;
  return { copied: wanted.length - alreadyThere, alreadyThere };
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
