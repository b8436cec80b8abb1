import { isRecord } from "../../../../lib/json.ts";
import type { Artifact } from "../driver.ts";

/** As long as the fields of a Backup may be. */
const LONGEST = { uri: 2048, checksum: 256 } as const;

/**
 * What a pod says of the data that it stored: an object of JSON with `uri`, `sizeBytes` and `checksum`, left as its
 * termination message. Anything else in it, or instead of it, says nothing.
 */
export function readReport(text: string | undefined): Partial<Artifact> {
  const said = parsed(text);
  if (!isRecord(said)) return {};
  const { uri, sizeBytes, checksum } = said;
  return {
    ...(isText(uri, LONGEST.uri) ? { uri } : {}),
    ...(typeof sizeBytes === "number" && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0
      ? { sizeBytes }
      : {}),
    ...(isText(checksum, LONGEST.checksum) ? { checksum } : {}),
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= most;
}
