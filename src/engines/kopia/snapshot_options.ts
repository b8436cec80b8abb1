import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { RESERVED_TAG_PREFIX } from "../../wire/tags.ts";
import type { SnapshotOptions } from "../engine.ts";
import { checkIdentity } from "./companion.ts";

const WHAT = "taking a snapshot";

/** Refuses what kopia would not take, or would change. */
export function checkSnapshotOptions(options: SnapshotOptions): void {
  const { identity, run, tags = {}, compression = {}, splitter } = options;
  checkIdentity(identity);
  const invalid = (text: string) => new EngineError("InvalidOption", `${WHAT}: ${text}`);
  for (const [key, value] of Object.entries({ ...tags, run })) {
    if (!/^[A-Za-z0-9.-]+$/.test(key))
      throw invalid(`the tag "${key}" has a key of other than letters, digits, . and -`);
    if (/[\n,]/.test(value)) throw invalid(`the tag ${key} has a newline or a comma in its value`);
    if (key.startsWith(RESERVED_TAG_PREFIX))
      throw invalid(`tags that begin with ${RESERVED_TAG_PREFIX} are reserved`);
  }
  const { compressor } = compression;
  if (compressor !== undefined && !CAPABILITIES.kopia.compression.includes(compressor)) {
    throw new EngineError("Unsupported", `${WHAT}: kopia has no compressor ${compressor}`);
  }
  if (splitter !== undefined && !CAPABILITIES.kopia.splitters.includes(splitter)) {
    throw new EngineError("Unsupported", `${WHAT}: kopia has no splitter ${splitter}`);
  }
}
