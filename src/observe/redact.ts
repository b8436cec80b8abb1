import { isRecord } from "../lib/json.ts";

const CENSORED = "[redacted]";

/** Field names whose values are never written, in whatever case and with whatever around them. */
const SECRET_NAME =
  /passw|passphrase|secret|token|credential|authorization|cookie|(private|access|account|storage|encryption|api)[_-]?key/i;

/** Names that only say where a secret is, or how long it lasts: `secretName`, `credentialsRef`, `tokenExpiry`. */
const HARMLESS_NAME = /(name|names|namespace|ref|refs|path|file|count|expiry|expires|version|class)$/i;

/** Deeper than anything worth a log line; also the end of a structure that contains itself. */
const MAX_DEPTH = 8;

/**
 * A copy for the log, without what looks like a secret: fields with telling names, the data of Secrets, passwords
 * in URLs and bearer tokens in texts. A net under code that should hand none of this to a log in the first place.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactedText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[too deep]";
  if (value instanceof Error) return redactedError(value, depth);
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  if ("toJSON" in value && typeof value.toJSON === "function") return redacted(value.toJSON(), depth + 1);
  if (!isRecord(value)) return value;
  const isSecret = value.kind === "Secret";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isSecretField(name, field, isSecret) ? CENSORED : redacted(field, depth + 1),
    ]),
  );
}

function isSecretField(name: string, field: unknown, inSecret: boolean): boolean {
  if (field === undefined || field === null || typeof field === "boolean") return false;
  if (inSecret && (name === "data" || name === "stringData")) return true;
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

function redactedText(text: string): string {
  return text
    .replace(/(\/\/[^/\s:@]*:)[^/\s@]+@/g, `$1${CENSORED}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${CENSORED}`);
}

function redactedError(error: Error, depth: number): unknown {
  const { name, message, stack, cause } = error;
  const told = { name, message: redactedText(message), stack: redactedText(stack ?? "") };
  return cause === undefined ? told : { ...told, cause: redacted(cause, depth + 1) };
}
