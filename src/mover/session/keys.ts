import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";

/** What both ends of a session prove themselves with, in PEM. */
export interface SessionKeys {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Reads ca.crt, tls.crt and tls.key. Rejects with CredentialsMissing. */
export async function readKeys(folder: string): Promise<SessionKeys> {
  const read = async (name: string) => {
    try {
      return await readFile(join(folder, name), "utf8");
    } catch (cause) {
      const why = `the session's ${name} cannot be read: ${messageOf(cause)}`;
      throw new EngineError("CredentialsMissing", why, {
        remedy: "Mount the session's keys, with ca.crt, tls.crt and tls.key.",
        cause,
      });
    }
  };
  const [ca, cert, key] = await Promise.all([read("ca.crt"), read("tls.crt"), read("tls.key")]);
  return { ca, cert, key };
}
