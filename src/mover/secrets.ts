import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryLocation } from "../engines/engine.ts";
import { type Backend, backendKind } from "../wire/backend.ts";
import { CREDENTIAL_KEYS, type Credentials, missingCredentials } from "../wire/credentials.ts";
import { EngineError } from "../wire/engine_error.ts";
import { trusting } from "./certificates.ts";
import { fromFiles } from "./credential_files.ts";

/** Where the secrets of one repository are mounted. */
export interface SecretPlaces {
  /** A folder with one file per key. */
  readonly credentials: string;
  /** One file. */
  readonly password: string;
}

/** A repository's place together with its secrets. Rejects with CredentialsMissing, by name. */
export async function locate(backend: Backend, places: SecretPlaces): Promise<RepositoryLocation> {
  const [{ CA_CERTIFICATES: ca, ...found }, password] = await Promise.all([
    readCredentials(places.credentials),
    readSecret(places.password),
  ]);
  const credentials = fromFiles(backend, found);
  const kind = backendKind(backend);
  const missing: readonly string[] = [
    ...(missingCredentials(kind, credentials) ?? []),
    ...(password ? [] : ["the repository's password"]),
  ];
  if (missing.length > 0 || !password)
    throw new EngineError("CredentialsMissing", `the mover was not given ${missing.join(" and ")}`);
  return { backend: trusting(backend, ca), credentials, password };
}

async function readCredentials(folder: string): Promise<Credentials> {
  const there = new Set(await readdir(folder).catch(absent));
  const keys = CREDENTIAL_KEYS.filter((key) => there.has(key));
  const values = await Promise.all(
    keys.map(async (key) => [key, await readSecret(join(folder, key))] as const),
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

async function readSecret(path: string): Promise<string | undefined> {
  const value = await readFile(path, "utf8").catch(absent);
  return typeof value === "string" ? withoutNewline(value) : undefined;
}

/** Editors end a line that is all there is; in texts of several lines, such as keys, the last end belongs to them. */
function withoutNewline(value: string): string {
  const line = value.replace(/\r?\n$/, "");
  return line.includes("\n") ? value : line;
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
  throw new EngineError("CredentialsMissing", `the mover may not read its secrets: ${error.message}`, {
    remedy: "Mount the Secret so that the mover's user may read it.",
    cause: error,
  });
}
