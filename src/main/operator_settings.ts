import type { Api } from "../core/api.ts";
import type { MoverAccount } from "../core/work/mover_accounts.ts";
import type { PauseGitOps, Settings } from "../core/work/settings.ts";
import { ARGO_CD_NAMESPACE } from "../core/workloads/gitops/observe_gitops.ts";
import type { Release } from "../kube/write/remove_crds.ts";
import { messageOf } from "../lib/result.ts";
import type { Attributes } from "../observe/otlp/otlp_json.ts";
import { type OtlpSettings, otlpSettings } from "../observe/otlp/otlp_settings.ts";
import type { LogFormat, LogLevel } from "../observe/pino_logger.ts";
import { apiSettings } from "./api_settings.ts";
import { APIS } from "./apis.ts";

/** What the operator's environment decides. */
export interface OperatorSettings {
  readonly apis: readonly Api[];
  /** For every API. */
  readonly shared: Settings;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly healthPort: number;
  /** On loopback alone. Default: none. */
  readonly debugPort?: number;
  readonly telemetry: TelemetrySettings;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
  /** Default: no webhooks. */
  readonly webhook?: WebhookSettings;
  /** CRDs may be somebody else's, and are looked at before they are worked with. Default: they are this product's. */
  readonly adopt?: AdoptSettings;
  /** With `--let-go`: the CRDs of this release go, too. Default: they stay. */
  readonly removeCrdsOf?: Release;
}

/** How CRDs that somebody else installed are worked with. */
export interface AdoptSettings {
  /** Since when no other controller works on these objects, in milliseconds since 1970. Default: there never was one. */
  readonly previousControllerStoppedAt?: number;
}

/** Whether telemetry is pushed; a `problem` is why it is not, though it was asked for. */
export type TelemetrySettings =
  | { readonly type: "off" }
  | { readonly type: "push"; readonly otlp: OtlpSettings }
  | { readonly type: "problem"; readonly problem: string };

/** How the API server reaches the operator's webhooks. */
export interface WebhookSettings {
  /** A Service of the operator's namespace, with port 443; or where the operator is reached without one. */
  readonly reach: { readonly service: string } | { readonly url: string };
  /** The operator listens on it. */
  readonly port: number;
  /** With `tls.crt` and `tls.key`. Default: the operator makes its own certificates. */
  readonly certificateFolder?: string;
  /** The Certificate of cert-manager's, `namespace/name`, that the folder's files come from. */
  readonly certificate?: string;
  /** In PEM: whom the API server is to trust about the folder's files, unless cert-manager tells it. */
  readonly authority?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const FORMATS: readonly LogFormat[] = ["text", "json"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"] as const;
const SWITCH = ["on", "off"] as const;
/** The Lease that the replicas of an operator compete for. */
export const LEASE = "holdfast-operator";

const HEALTH_PORT = 8080;
const WEBHOOK_PORT = 9443;

/** Reads the environment. Throws on a value that it does not understand, as a typing error must not go unnoticed. */
export function operatorSettings(env: Env, version: string): OperatorSettings {
  const imagePullPolicy = oneOf(env, "HOLDFAST_MOVER_PULL_POLICY", PULL_POLICIES);
  const namespace = env.HOLDFAST_NAMESPACE;
  const webhook = webhookSettings(env);
  const debugPort = port(env, "HOLDFAST_DEBUG_PORT");
  const maxRuns = count(env, "HOLDFAST_MAX_RUNS");
  const moverAccount = moverAccountOf(env);
  const standstillSeconds = count(env, "HOLDFAST_STANDSTILL_SECONDS");
  const adopt = adoptSettings(env);
  const removeCrdsOf = releaseOf(env, "HOLDFAST_REMOVE_CRDS_OF");
  if (removeCrdsOf && namespace) {
    throw new Error(
      "HOLDFAST_REMOVE_CRDS_OF and HOLDFAST_NAMESPACE are both set: with the CRDs go the objects of all namespaces, and those of one alone would be let go of",
    );
  }
  const logLevel = oneOf(env, "HOLDFAST_LOG_LEVEL", LEVELS) ?? "info";
  return {
    apis: apisOf(env),
    shared: {
      moverImage: env.HOLDFAST_MOVER_IMAGE || `holdfast/mover:${version}`,
      ...(imagePullPolicy ? { imagePullPolicy } : {}),
      ...(moverAccount ? { moverAccount } : {}),
      ...(isOn(env, "HOLDFAST_LEND_SECRETS") ? { lendSecrets: true } : {}),
      ...(isOn(env, "HOLDFAST_PAUSE_GITOPS") ? { pauseGitOps: pauseGitOps(env) } : {}),
      ...(isOn(env, "HOLDFAST_CREATE_REPOSITORIES") ? { createRepositories: true } : {}),
      ...(isOn(env, "HOLDFAST_HOOKS_TO_LOCAL_ADDRESSES") ? { hooksMayCallLocalAddresses: true } : {}),
      ...(maxRuns === undefined ? {} : { maxRuns }),
      ...(standstillSeconds === undefined ? {} : { standstillSeconds }),
      ...(logLevel === "debug" ? { moverDebug: true } : {}),
      ...(webhook ? { guarded: true } : {}),
      ...(env.HOLDFAST_API_SETTINGS ? { ofApis: apiSettings(env) } : {}),
    },
    logLevel,
    logFormat: oneOf(env, "HOLDFAST_LOG_FORMAT", FORMATS) ?? "text",
    healthPort: port(env, "HOLDFAST_HEALTH_PORT") ?? HEALTH_PORT,
    ...(debugPort === undefined ? {} : { debugPort }),
    telemetry: telemetrySettings(env),
    ...(namespace ? { namespace } : {}),
    ...(webhook ? { webhook } : {}),
    ...(adopt ? { adopt } : {}),
    ...(removeCrdsOf ? { removeCrdsOf } : {}),
  };
}

function pauseGitOps({ HOLDFAST_ARGOCD_NAMESPACE: argoCdNamespace = ARGO_CD_NAMESPACE }: Env): PauseGitOps {
  return { argoCdNamespace };
}

function releaseOf(env: Env, variable: string): Release | undefined {
  const value = env[variable];
  if (!value) return undefined;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(value) ?? [];
  if (!namespace || !name) {
    throw new Error(`${variable} is ${JSON.stringify(value)}: it must be a release, as namespace/name`);
  }
  return { namespace, name };
}

function adoptSettings(env: Env): AdoptSettings | undefined {
  const adopting = isOn(env, "HOLDFAST_ADOPT_CRDS");
  const { HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT: since } = env;
  if (!since) return adopting ? {} : undefined;
  const previousControllerStoppedAt = isTime(since) ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(previousControllerStoppedAt)) {
    throw new Error(
      `HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT is ${JSON.stringify(since)}: it must be a time such as 2026-01-31T18:30:00Z`,
    );
  }
  if (!adopting)
    throw new Error("HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT is set without HOLDFAST_ADOPT_CRDS=on");
  return { previousControllerStoppedAt };
}

/** As the API server writes times, and with another zone. */
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** February 30 would be taken for a day of March. */
function isTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? [];
  const ms = Date.parse(day ?? "");
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day ?? "");
}

/** A collector that cannot be told is no reason not to back up, unless HOLDFAST_OTEL_STRICT says so. */
function telemetrySettings(env: Env): TelemetrySettings {
  const strict = isOn(env, "HOLDFAST_OTEL_STRICT");
  try {
    const otlp = otlpSettings(env);
    return otlp ? { type: "push", otlp } : { type: "off" };
  } catch (error) {
    if (strict) throw error;
    return { type: "problem", problem: messageOf(error) };
  }
}

/** Whoever pushes telemetry. */
export interface Pusher {
  readonly service: string;
  readonly version: string;
  readonly instance: string;
}

/** What each push says of whoever pushes, the namespace of the pod among it: a scrape would add that by itself. */
export function telemetryResource(env: Env, { service, version, instance }: Pusher): Attributes {
  const { POD_NAMESPACE: namespace } = env;
  return {
    "service.name": service,
    "service.version": version,
    "service.instance.id": instance,
    ...(namespace ? { "k8s.namespace.name": namespace } : {}),
  };
}

/** As the chart's. */
const DEFAULT_APIS = "kopiur";

/** Separated by commas; `none` serves nothing. */
function apisOf(env: Env): readonly Api[] {
  const value = env.HOLDFAST_APIS || DEFAULT_APIS;
  if (value === "none") return [];
  const apis = value.split(",").map((name) => {
    const found = APIS.find((api) => api.name === name.trim());
    if (found === undefined) {
      throw new Error(
        `HOLDFAST_APIS is ${JSON.stringify(value)}: it must be none, or some of ${APIS.map((api) => api.name).join(", ")}`,
      );
    }
    return found;
  });
  for (const { name, needs = [] } of apis) {
    const missing = needs.find((need) => !apis.some((api) => api.name === need));
    if (missing) throw new Error(`HOLDFAST_APIS is ${JSON.stringify(value)}: ${name} needs ${missing}, too`);
  }
  return apis;
}

/** As Kubernetes names Secrets and ServiceAccounts. */
const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

function moverAccountOf(env: Env): MoverAccount | undefined {
  const { HOLDFAST_MOVER_SERVICE_ACCOUNT: name, HOLDFAST_MOVER_PULL_SECRETS: listed } = env;
  const pullSecrets = listed ? listed.split(",").map((secret) => secret.trim()) : [];
  const wrong = [...(name ? [name] : []), ...pullSecrets].find((one) => !OBJECT_NAME.test(one));
  if (wrong !== undefined) {
    const variable = wrong === name ? "HOLDFAST_MOVER_SERVICE_ACCOUNT" : "HOLDFAST_MOVER_PULL_SECRETS";
    throw new Error(
      `${variable} has ${JSON.stringify(wrong)}: the name of a Kubernetes object is in lower case, such as mirror-1`,
    );
  }
  if (name && pullSecrets.length > 0) {
    throw new Error(
      "HOLDFAST_MOVER_SERVICE_ACCOUNT and HOLDFAST_MOVER_PULL_SECRETS are both set: an account of your own is not changed, so give the pull secrets to that",
    );
  }
  if (name) return { type: "given", name };
  return pullSecrets.length > 0 ? { type: "own", pullSecrets } : undefined;
}

function webhookSettings(env: Env): WebhookSettings | undefined {
  const { HOLDFAST_WEBHOOK_SERVICE: service, HOLDFAST_WEBHOOK_URL: url } = env;
  const { HOLDFAST_WEBHOOK_CERTIFICATES: folder, HOLDFAST_WEBHOOK_CERTIFICATE: certificate } = env;
  if (service && url) {
    throw new Error("HOLDFAST_WEBHOOK_SERVICE and HOLDFAST_WEBHOOK_URL are both set: name one of them");
  }
  if (url && !/^https:\/\/[^/]+$/.test(url)) {
    throw new Error(
      `HOLDFAST_WEBHOOK_URL is ${JSON.stringify(url)}: it must be such as https://host:port, without a path`,
    );
  }
  if (certificate && !/^[^/]+\/[^/]+$/.test(certificate)) {
    throw new Error(
      `HOLDFAST_WEBHOOK_CERTIFICATE is ${JSON.stringify(certificate)}: it must be such as namespace/name`,
    );
  }
  const authority = authorityOf(env, folder);
  const listening = port(env, "HOLDFAST_WEBHOOK_PORT") ?? WEBHOOK_PORT;
  const reach = service ? { service } : url ? { url } : undefined;
  return (
    reach && {
      reach,
      port: listening,
      ...(folder ? { certificateFolder: folder } : {}),
      ...(certificate ? { certificate } : {}),
      ...(authority ? { authority } : {}),
    }
  );
}

function authorityOf(env: Env, folder: string | undefined): string | undefined {
  const value = env.HOLDFAST_WEBHOOK_CA_BUNDLE;
  if (!value) return undefined;
  if (!folder) {
    throw new Error(
      "HOLDFAST_WEBHOOK_CA_BUNDLE is set without HOLDFAST_WEBHOOK_CERTIFICATES: name the folder of the certificate that it vouches for",
    );
  }
  const authority = Buffer.from(value, "base64").toString();
  if (!authority.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Error("HOLDFAST_WEBHOOK_CA_BUNDLE must be certificates in PEM, encoded in base64");
  }
  return authority;
}

function oneOf<T extends string>(env: Env, name: string, known: readonly T[]): T | undefined {
  const value = env[name];
  if (!value) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new Error(`${name} is ${JSON.stringify(value)}: it must be one of ${known.join(", ")}`);
  return found;
}

function isOn(env: Env, name: string): boolean {
  return oneOf(env, name, SWITCH) === "on";
}

function count(env: Env, name: string): number | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(value)) {
    throw new Error(`${name} is ${JSON.stringify(value)}: it must be a number from 1 to 999999`);
  }
  return Number(value);
}

function port(env: Env, name: string): number | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new Error(`${name} is ${JSON.stringify(value)}: it must be a port, from 0 (any free one) to 65535`);
  }
  return Number(value);
}
