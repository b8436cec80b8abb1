import { readFile } from "node:fs/promises";
import { delimiter, dirname, resolve } from "node:path";
import { isRecord } from "../../lib/json.ts";
import type { ExecPlugin } from "./exec_plugin.ts";

/** A kubeconfig that cannot be used: which part, why, and what would help. */
export class KubeconfigError extends Error {
  override name = "KubeconfigError";
}

/** One context of a kubeconfig, with everything that it names read from its files. */
export interface Context {
  readonly name: string;
  readonly namespace: string;
  readonly server: string;
  readonly servername?: string;
  readonly ca?: string;
  readonly user: KubeconfigUser;
}

export type KubeconfigUser =
  | { readonly type: "anonymous" }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "tokenFile"; readonly path: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "certificate"; readonly cert: string; readonly key: string }
  | { readonly type: "exec"; readonly plugin: ExecPlugin };

interface Entry {
  /** The folder that relative paths in the entry start from. */
  readonly base: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Merged {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/**
 * Loads a context, by default the current one. `paths` is what KUBECONFIG holds: several files are merged, and
 * as in kubectl the first to name a thing wins.
 */
export async function loadKubeconfig(paths: string, contextName?: string): Promise<Context> {
  const merged = await mergeFiles(paths.split(delimiter).filter(Boolean));
  const name = contextName ?? merged.currentContext;
  if (!name)
    throw new KubeconfigError(`${paths} has no current context: name one, or run kubectl config use-context`);
  const context = find(merged.contexts, name, "context", paths).value;
  const cluster = find(merged.clusters, text(context, "cluster") ?? "", `cluster of context ${name}`, paths);
  const userName = text(context, "user");
  const user = userName ? find(merged.users, userName, `user of context ${name}`, paths) : undefined;
  const server = text(cluster.value, "server");
  if (!server) throw new KubeconfigError(`the cluster of context ${name} has no server`);
  if (cluster.value["insecure-skip-tls-verify"] === true) {
    throw new KubeconfigError(
      `the cluster of context ${name} asks for insecure-skip-tls-verify, which is not supported: put the server's authority into certificate-authority-data`,
    );
  }
  if (text(cluster.value, "proxy-url")) {
    throw new KubeconfigError(`the cluster of context ${name} has a proxy-url, which is not supported`);
  }
  const shown: KubeconfigUser = user ? await userOf(user, userName ?? "") : { type: "anonymous" };
  // Without credentials plain http gives nothing away: so speaks kubectl proxy, which shows its own.
  if (URL.parse(server)?.protocol === "http:" && shown.type !== "anonymous") {
    throw new KubeconfigError(
      `the cluster of context ${name} is reached by http, where anybody on the way reads the credentials of user ${userName}: give it an https server, or the context a user without credentials`,
    );
  }
  const ca = await inlineOrFile(cluster, "certificate-authority");
  const servername = text(cluster.value, "tls-server-name");
  return {
    name,
    namespace: text(context, "namespace") ?? "default",
    server,
    ...(servername ? { servername } : {}),
    ...(ca ? { ca } : {}),
    user: shown,
  };
}

/** By which requests are made in somebody else's name. */
const IMPERSONATION = ["as", "as-uid", "as-groups", "as-user-extra"] as const;

async function userOf(entry: Entry, name: string): Promise<KubeconfigUser> {
  const { value, base } = entry;
  const asked = IMPERSONATION.find((field) => value[field] !== undefined);
  // Whatever the credentials are: whoever is to act as somebody else must not act with rights of their own.
  if (asked) throw new KubeconfigError(`user ${name} impersonates (${asked}), which is not supported`);
  if (isRecord(value.exec)) return { type: "exec", plugin: execPlugin(value.exec, base, name) };
  if (value["auth-provider"] !== undefined) {
    throw new KubeconfigError(
      `user ${name} has an auth-provider, which Kubernetes has removed: use an exec plugin`,
    );
  }
  const tokenFile = text(value, "tokenFile");
  if (tokenFile) return { type: "tokenFile", path: resolve(base, tokenFile) };
  const token = text(value, "token");
  if (token) return { type: "token", token };
  const cert = await inlineOrFile(entry, "client-certificate");
  const key = await inlineOrFile(entry, "client-key");
  if (cert && key) return { type: "certificate", cert, key };
  if (cert || key)
    throw new KubeconfigError(`user ${name} has only one of client-certificate and client-key`);
  const username = text(value, "username");
  if (username) return { type: "basic", username, password: text(value, "password") ?? "" };
  return { type: "anonymous" };
}

function execPlugin(exec: Readonly<Record<string, unknown>>, base: string, user: string): ExecPlugin {
  const command = text(exec, "command");
  const apiVersion = text(exec, "apiVersion");
  if (!command || !apiVersion)
    throw new KubeconfigError(`the exec plugin of user ${user} needs command and apiVersion`);
  // As in kubectl, a command with a slash is a path from the kubeconfig's folder; a bare name is looked up in PATH.
  return { ...exec, apiVersion, command: command.includes("/") ? resolve(base, command) : command };
}

async function mergeFiles(paths: readonly string[]): Promise<Merged> {
  const merged = { contexts: new Map(), clusters: new Map(), users: new Map() } as const;
  let currentContext: string | undefined;
  let found = false;
  for (const path of paths) {
    const file = await readConfig(path, paths.length > 1);
    if (!file) continue;
    found = true;
    currentContext ??= text(file, "current-context");
    const base = dirname(resolve(path));
    addEntries(merged.contexts, file.contexts, "context", base);
    addEntries(merged.clusters, file.clusters, "cluster", base);
    addEntries(merged.users, file.users, "user", base);
  }
  if (!found) throw new KubeconfigError(`no kubeconfig at ${paths.join(", ")}`);
  return { ...merged, currentContext };
}

async function readConfig(path: string, mayBeMissing: boolean): Promise<Record<string, unknown> | undefined> {
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    if (missing && mayBeMissing) return undefined;
    throw new KubeconfigError(
      missing
        ? `no kubeconfig at ${path}`
        : `the kubeconfig ${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
  const { parse } = await import("yaml");
  let parsed: unknown;
  try {
    parsed = parse(content);
  } catch (cause) {
    throw new KubeconfigError(`the kubeconfig ${path} is not YAML: ${(cause as Error).message}`, { cause });
  }
  if (parsed === null) return undefined;
  if (!isRecord(parsed)) throw new KubeconfigError(`${path} is not a kubeconfig`);
  return parsed;
}

function addEntries(into: Map<string, Entry>, list: unknown, part: string, base: string): void {
  if (!Array.isArray(list)) return;
  for (const item of list as unknown[]) {
    if (!isRecord(item) || typeof item.name !== "string") continue;
    const value = isRecord(item[part]) ? item[part] : {};
    if (!into.has(item.name)) into.set(item.name, { base, value });
  }
}

function find(entries: ReadonlyMap<string, Entry>, name: string, what: string, paths: string): Entry {
  const entry = entries.get(name);
  if (entry) return entry;
  const known = [...entries.keys()].join(", ") || "none";
  throw new KubeconfigError(`the ${what}, ${JSON.stringify(name)}, is not in ${paths} (there: ${known})`);
}

async function inlineOrFile({ value, base }: Entry, name: string): Promise<string | undefined> {
  const inline = text(value, `${name}-data`);
  if (inline) return Buffer.from(inline, "base64").toString("utf8");
  const path = text(value, name);
  if (!path) return undefined;
  try {
    return await readFile(resolve(base, path), "utf8");
  } catch (cause) {
    throw new KubeconfigError(`${name} ${resolve(base, path)} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function text(value: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const found = value[name];
  return typeof found === "string" && found !== "" ? found : undefined;
}
