import type { Backend } from "../wire/backend.ts";
import type { Credentials } from "../wire/credentials.ts";
import { EngineError } from "../wire/engine_error.ts";

/** The credentials, with those in their place that are in a file of a cloud's own form. Throws CredentialsMissing. */
export function fromFiles(backend: Backend, credentials: Credentials): Credentials {
  const { AWS_CREDENTIALS_FILE: aws, AZURE_CREDENTIALS_FILE: azure, ...plain } = credentials;
  if ("s3" in backend && aws !== undefined) return { ...plain, ...awsProfile(aws, backend.s3.profile) };
  if ("azure" in backend && azure !== undefined)
    return { ...plain, AZURE_STORAGE_KEY: azureKey(azure, backend.azure.keyName) };
  return plain;
}

function awsProfile(text: string, profile = "default"): Credentials {
  // In a file of settings, rather than of credentials, sections other than the default begin with a word more.
  const sections = sectionsOf(text);
  const section = sections.get(profile) ?? sections.get(`profile ${profile}`);
  if (!section) throw missing(`the credentials file has no profile ${profile}`, "Add it, or name another.");
  const elsewhere = ["role_arn", "web_identity_token_file", "credential_process", "sso_session"].find((key) =>
    section.has(key),
  );
  if (elsewhere)
    throw missing(
      `profile ${profile} of the credentials file asks for ${elsewhere}, which movers cannot use`,
      "Write an access key into the profile.",
    );
  const [id, secret] = ["aws_access_key_id", "aws_secret_access_key"].map((key) => section.get(key));
  if (!id || !secret)
    throw missing(
      `profile ${profile} of the credentials file has no access key`,
      "Write one into the profile.",
    );
  const token = section.get("aws_session_token");
  return {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    ...(token ? { AWS_SESSION_TOKEN: token } : {}),
  };
}

function azureKey(text: string, name = "AZURE_STORAGE_ACCOUNT_ACCESS_KEY"): string {
  const key = valuesOf(text.split("\n")).get(name);
  if (key) return key;
  throw missing(
    `the credentials file has no ${name}, and movers cannot reach the storage with an identity alone`,
    "Write the storage account's key into the file.",
  );
}

function sectionsOf(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const name = /^\s*\[\s*(.+?)\s*\]\s*$/.exec(line)?.[1];
    if (name === undefined) lines.push(line);
    else {
      lines = [];
      sections.set(name, lines);
    }
  }
  return new Map([...sections].map(([name, its]) => [name, valuesOf(its)]));
}

/** Of lines such as `name = value`; all others say nothing. */
function valuesOf(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line) => {
      const found = /^\s*(?:export\s+)?([^#;\s=]+)\s*=\s*(.*?)\s*$/.exec(line);
      return found ? [[found[1] ?? "", unquoted(found[2] ?? "")] as const] : [];
    }),
  );
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}

function missing(why: string, remedy: string): EngineError {
  return new EngineError("CredentialsMissing", why, { remedy });
}
