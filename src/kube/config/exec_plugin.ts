import { type Clock, deadline } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import type { Processes } from "../../lib/processes.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import type { Credentials, Identity } from "./credentials.ts";

/** The `exec` part of a kubeconfig's user: a program that prints credentials. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
}

export interface ExecPluginOptions {
  readonly plugin: ExecPlugin;
  /** Shown to the plugin when it asks for it (`provideClusterInfo`). */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: Processes;
  readonly clock: Clock;
}

/** Fresh credentials are fetched this long before the old ones expire. */
const EARLY_MS = 10_000;

/** A program that needs longer, in milliseconds, waits for something that does not come. */
const LONGEST_RUN_MS = 60_000;

const SUPPORTED = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** The plugin failed, or printed something else than credentials. */
export class ExecPluginFailed extends Error {
  override name = "ExecPluginFailed";
}

/** Credentials from a program, kept until they expire or are refused. */
export class ExecCredentials implements Credentials {
  readonly #options: ExecPluginOptions;
  #kept: { readonly identity: Identity; readonly expires: number } | undefined;
  #running: Promise<Identity> | undefined;
  readonly #closed = new AbortController();

  constructor(options: ExecPluginOptions) {
    const { plugin } = options;
    if (!SUPPORTED.includes(plugin.apiVersion)) {
      throw new ExecPluginFailed(
        `the kubeconfig's credential plugin ${plugin.command} speaks ${plugin.apiVersion}; supported are ${SUPPORTED.join(" and ")}`,
      );
    }
    if (plugin.interactiveMode === "Always") {
      throw new ExecPluginFailed(
        `the credential plugin ${plugin.command} must ask a person, and none is here`,
      );
    }
    this.#options = options;
  }

  async current(signal?: AbortSignal): Promise<Identity> {
    if (this.#kept && this.#options.clock.now() < this.#kept.expires - EARLY_MS) return this.#kept.identity;
    return this.#once(signal);
  }

  async renew(refused: Identity, signal?: AbortSignal): Promise<Identity | undefined> {
    if (this.#kept && this.#kept.identity !== refused) return this.#kept.identity;
    return this.#once(signal);
  }

  close(): void {
    this.#closed.abort(new Error("the connection that it is for was closed"));
  }

  /** However many requests wait for credentials, the program runs once; one that waits no longer ends it for no other. */
  #once(signal: AbortSignal | undefined): Promise<Identity> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return unlessAborted(this.#running, signal);
  }

  async #run(): Promise<Identity> {
    const { plugin, cluster, env, processes, clock } = this.#options;
    using bound = deadline(clock, LONGEST_RUN_MS, plugin.command, this.#closed.signal);
    const info = {
      apiVersion: plugin.apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) },
    };
    const finished = await processes
      .run(plugin.command, plugin.args ?? [], {
        env: {
          ...env,
          ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
          KUBERNETES_EXEC_INFO: JSON.stringify(info),
        },
        signal: bound.signal,
      })
      .catch((cause: Error) => {
        const hint = plugin.installHint && !bound.signal.aborted ? `\n${plugin.installHint}` : "";
        throw new ExecPluginFailed(`the kubeconfig's credential plugin: ${cause.message}${hint}`, { cause });
      });
    if (finished.code !== 0) {
      const why = finished.stderr.trim().slice(-1024) || `exit code ${finished.code ?? finished.signal}`;
      throw new ExecPluginFailed(`the credential plugin ${plugin.command} failed: ${why}`);
    }
    this.#kept = parseCredential(finished.stdout.toString("utf8"), plugin.command);
    return this.#kept.identity;
  }
}

function parseCredential(text: string, command: string): { identity: Identity; expires: number } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new ExecPluginFailed(`the credential plugin ${command} printed something that is not JSON`, {
      cause,
    });
  }
  const status = isRecord(parsed) && isRecord(parsed.status) ? parsed.status : {};
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (typeof token !== "string" && (typeof cert !== "string" || typeof key !== "string")) {
    throw new ExecPluginFailed(
      `the credential plugin ${command} printed neither a token nor a client certificate`,
    );
  }
  const expires = typeof expirationTimestamp === "string" ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    identity: {
      headers: typeof token === "string" ? { authorization: `Bearer ${token}` } : {},
      ...(typeof cert === "string" && typeof key === "string" ? { cert, key } : {}),
    },
    expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
  };
}
