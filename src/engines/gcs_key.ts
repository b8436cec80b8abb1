import type { Credentials } from "../wire/credentials.ts";
import { EngineError } from "../wire/engine_error.ts";

/** The key of Google's service account, where there is one. What cannot be read is not quoted: it is secret. */
export function gcsKey({ GCS_CREDENTIALS_JSON: json }: Credentials): unknown {
  if (!json) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new EngineError("CredentialsMissing", "opening the repository: GCS_CREDENTIALS_JSON is not JSON", {
      remedy:
        "Put the service account's key, as Google gives it, into GCS_CREDENTIALS_JSON of the Secret that the repository names.",
    });
  }
}
