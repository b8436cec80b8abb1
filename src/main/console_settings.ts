import { readFileSync } from "node:fs";
import type { OidcSettings } from "../cli/console/oidc.ts";
import type { LogFormat, LogLevel } from "../observe/pino_logger.ts";

/** What the console's environment decides, on a cluster. */
export interface ConsoleSettings {
  readonly port: number;
  readonly healthPort: number;
  /** The folder of the built page. */
  readonly page: string;
  /** With `tls.crt` and `tls.key`. Default: something before it speaks TLS. */
  readonly certificateFolder?: string;
  /** The address that people use. */
  readonly address?: string;
  readonly apiServer: { readonly url: string; readonly ca: string };
  readonly oidc?: OidcSettings;
  /** Who vouches for the provider. Default: whoever the system trusts. */
  readonly oidcCa?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

type Env = Readonly<Record<string, string | undefined>>;
type ReadText = (path: string) => string;

const SERVICE_ACCOUNT_CA = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
const PORT = 8443;
const HEALTH_PORT = 8080;
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const FORMATS: readonly LogFormat[] = ["text", "json"];

/** Reads the environment. Throws on what it does not understand, and on what would be unsafe. */
export function consoleSettings(
  env: Env,
  read: ReadText = (path) => readFileSync(path, "utf8"),
): ConsoleSettings {
  const address = addressOf(env);
  const certificateFolder = env.HOLDFAST_CONSOLE_CERTIFICATES;
  const oidc = oidcOf(env, address, read);
  return {
    port: portOf(env, "HOLDFAST_CONSOLE_PORT") ?? PORT,
    healthPort: portOf(env, "HOLDFAST_HEALTH_PORT") ?? HEALTH_PORT,
    page: needed(env, "HOLDFAST_CONSOLE"),
    ...(certificateFolder ? { certificateFolder } : {}),
    ...(address ? { address } : {}),
    apiServer: apiServerOf(env, read),
    ...(oidc ? { oidc } : {}),
    ...(oidc && env.HOLDFAST_CONSOLE_OIDC_CA ? { oidcCa: read(env.HOLDFAST_CONSOLE_OIDC_CA) } : {}),
    logLevel: oneOf(env, "HOLDFAST_LOG_LEVEL", LEVELS) ?? "info",
    logFormat: oneOf(env, "HOLDFAST_LOG_FORMAT", FORMATS) ?? "text",
  };
}

function apiServerOf(env: Env, read: ReadText): ConsoleSettings["apiServer"] {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const usual = `https://${host.includes(":") ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? "443"}`;
  const url = env.HOLDFAST_CONSOLE_API_SERVER ?? (host ? usual : undefined);
  if (!url)
    throw new Error(
      "HOLDFAST_CONSOLE_API_SERVER is not set, and this is no pod: name the API server's address",
    );
  if (!url.startsWith("https://"))
    throw new Error(
      `HOLDFAST_CONSOLE_API_SERVER is ${url}: people's tokens go to the API server by https alone`,
    );
  return { url, ca: read(env.HOLDFAST_CONSOLE_API_CA ?? SERVICE_ACCOUNT_CA) };
}

function oidcOf(env: Env, address: string | undefined, read: ReadText): OidcSettings | undefined {
  const issuer = env.HOLDFAST_CONSOLE_OIDC_ISSUER;
  if (!issuer) return undefined;
  if (!issuer.startsWith("https://"))
    throw new Error(`HOLDFAST_CONSOLE_OIDC_ISSUER is ${issuer}: a provider is asked by https alone`);
  if (!address)
    throw new Error("HOLDFAST_CONSOLE_ADDRESS is not set: the provider sends people back to that address");
  const secretFile = env.HOLDFAST_CONSOLE_OIDC_SECRET_FILE;
  return {
    issuer,
    clientId: needed(env, "HOLDFAST_CONSOLE_OIDC_CLIENT"),
    ...(secretFile ? { clientSecret: read(secretFile).trim() } : {}),
    scopes: (env.HOLDFAST_CONSOLE_OIDC_SCOPES ?? "email groups").split(/[\s,]+/).filter(Boolean),
    redirect: new URL("/api/oidc/callback", address).href,
  };
}

function addressOf(env: Env): string | undefined {
  const address = env.HOLDFAST_CONSOLE_ADDRESS;
  if (!address) return undefined;
  if (!URL.canParse(address) || !/^https:\/\/[^/]+\/?$/.test(address))
    throw new Error(
      `HOLDFAST_CONSOLE_ADDRESS is ${address}: write https:// and a host, with nothing behind it, as cookies are for TLS alone`,
    );
  return address;
}

function portOf(env: Env, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`${name} is ${text}, and no port`);
  return port;
}

function oneOf<T extends string>(env: Env, name: string, values: readonly T[]): T | undefined {
  const text = env[name];
  if (!text) return undefined;
  const found = values.find((value) => value === text);
  if (!found) throw new Error(`${name} is ${text}; it may be ${values.join(", ")}`);
  return found;
}

function needed(env: Env, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
