import { join } from "node:path";
import { type Api, type ApiCounters, certificatesName, storesOf, webhooksName } from "../core/api.ts";
import type { Settings } from "../core/work/settings.ts";
import { AdmissionServer } from "../kube/admission/admission_server.ts";
import { findConfigurations } from "../kube/admission/ca_bundle.ts";
import { FileCertificates } from "../kube/admission/file_certificates.ts";
import { SecretCertificates } from "../kube/admission/secret_certificates.ts";
import { ensureWebhooks, type WebhookReach } from "../kube/admission/webhook_configuration.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { ServerNames } from "../kube/certificates/certificates.ts";
import type { CallOptions, Client } from "../kube/client.ts";
import type { Runnable } from "../kube/runnable.ts";
import type { Clock } from "../lib/clock.ts";
import { listen } from "../lib/https_server.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import type { AdmissionObserver } from "../observe/observers.ts";

export interface AdmissionOptions {
  /** Whose webhooks are served. */
  readonly apis: readonly Api[];
  /** Of every replica: all of them serve. */
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: Settings;
  readonly operatorNamespace: string;
  /** Asks for the name that the API server knows the operator by. */
  readonly operator: (call: CallOptions) => Promise<string>;
  /** Only this namespace is guarded. Default: all. */
  readonly namespace?: string | undefined;
  /** Default: every address. */
  readonly host?: string | undefined;
  readonly port: number;
  /** How the API server reaches the port that is listened on. */
  readonly reach: (port: number) => WebhookReach;
  /** What the API server calls the server. */
  readonly names: ServerNames;
  /** Holds `tls.crt` and `tls.key`, which somebody else renews. Default: they are made here, and kept in a Secret. */
  readonly certificateFolder?: string | undefined;
  /** In PEM: whom the API server is to trust about these files, where nobody else tells it. */
  readonly authority?: string | undefined;
  /** Of the webhook configurations, such as those by which somebody else fills in whom to trust. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** How long requests are taken after the signal to stop, in milliseconds. */
  readonly linger?: number;
  /** How often certificates and configurations are looked at, in milliseconds. */
  readonly poll?: number;
  readonly observer?: AdmissionObserver;
  /** By the name of their API. Default: nobody counts. */
  readonly counters?: ReadonlyMap<string, ApiCounters>;
}

/** Webhooks that are served, or are to be. */
export interface Admission extends Runnable {
  /** The API server has been told of them, and they were there when that was last looked at. */
  readonly opened: boolean;
  /** What keeps the API server from calling them. */
  readonly problem: string | undefined;
}

const FIELD_MANAGER = "holdfast-admission";

/** Serves the webhooks of every API from one server, and tells the API server of each API's by itself. */
export function admission(options: AdmissionOptions): Admission {
  const { client, clock, random, log, host, port, reach, names, annotations, linger, poll, observer } =
    options;
  let operator: string | undefined;
  const storesIn = storesOf(options.apis, options);
  const configurations = options.apis.map((api) => ({
    name: webhooksName(api.name, options.namespace),
    labels: { "app.kubernetes.io/part-of": api.name },
    webhooks: api.webhooks({
      client,
      informers: options.informers.for(api.name),
      settings: options.settings,
      clock,
      random,
      log,
      counters: options.counters?.get(api.name),
      operatorNamespace: options.operatorNamespace,
      storesIn,
      isOperator: ({ username }) => username === operator,
      namespace: options.namespace,
    }),
  }));
  const webhooks = configurations.flatMap((one) => one.webhooks);
  return new AdmissionServer({
    webhooks,
    clock,
    random,
    log,
    listen,
    host,
    port,
    names,
    certificates: certificatesOf(
      options,
      configurations.map(({ name }) => name),
    ),
    // Whoever cannot tell its own writes from others' must not judge any.
    learn: async (signal) => {
      operator = await options.operator({ signal });
    },
    isInstalled: async (signal) => {
      for (const { name, webhooks: own } of configurations) {
        const found = await findConfigurations(client, name, { signal });
        if (found.length !== new Set(own.map(({ type }) => type)).size) return false;
      }
      return true;
    },
    install: async ({ port: actual, caBundle, signal }) => {
      const place = { reach: reach(actual), caBundle, fieldManager: FIELD_MANAGER };
      for (const one of configurations) {
        await ensureWebhooks(
          client,
          { ...one, ...(annotations ? { annotations } : {}), ...place },
          { signal },
        );
      }
    },
    ...(linger === undefined ? {} : { linger }),
    ...(poll === undefined ? {} : { poll }),
    ...(observer ? { observer } : {}),
  });
}

function certificatesOf(options: AdmissionOptions, configurations: readonly string[]) {
  const {
    client,
    clock,
    random,
    log,
    names,
    certificateFolder: folder,
    authority,
    operatorNamespace,
  } = options;
  if (folder) {
    return new FileCertificates({ cert: join(folder, "tls.crt"), key: join(folder, "tls.key"), authority });
  }
  const secret = { namespace: operatorNamespace, name: certificatesName(options.namespace) };
  return new SecretCertificates({ client, clock, random, log, secret, names, configurations });
}
