import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import { type Secret, Secrets } from "../../kube/builtin.ts";
import type { Reader } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { keyOf } from "../../kube/object.ts";
import { lentKeys, type SecretName } from "./run_secrets.ts";
import type { Lend } from "./runs.ts";

/** Reads what is lent to runs, each Secret by its name and only the keys that a run needs. */
export function lendSecrets(reader: Pick<Reader, "get">): Lend {
  return async ({ secrets }, signal) => {
    const keys = lentKeys(secrets);
    const read = new Map<string, Secret>();
    for (const { from } of keys) {
      if (!read.has(keyOf(from))) read.set(keyOf(from), await readSecret(reader, from, signal));
    }
    const data: Record<string, string> = {};
    for (const { from, key, as, optional } of keys) {
      const value = read.get(keyOf(from))?.data?.[key];
      if (value !== undefined) data[as] = Buffer.from(value, "base64").toString();
      else if (!optional) throw missing(`key ${key} of Secret ${keyOf(from)}`, "Add it to the Secret.");
    }
    return data;
  };
}

async function readSecret(
  reader: Pick<Reader, "get">,
  name: SecretName,
  signal: AbortSignal | undefined,
): Promise<Secret> {
  try {
    return await reader.get(Secrets, name, signal ? { signal } : {});
  } catch (error) {
    const what = `Secret ${keyOf(name)}`;
    if (isNotFound(error)) throw missing(what, "Create it, or correct the repository.");
    if (!isForbidden(error)) throw error;
    throw new Failure(
      "structural",
      "LendingForbidden",
      `The run needs ${what}, which the operator may not read. Let its ServiceAccount get Secrets there, or switch lending off.`,
    );
  }
}

function missing(what: string, remedy: string): Failure {
  return new Failure(
    "structural",
    "SecretMissing",
    `The ${what}, which the run is to be lent, does not exist. ${remedy}`,
  );
}
