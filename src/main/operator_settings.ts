import type { KopiurSettings } from "../apis/kopiur/settings.ts";
import type { LogLevel } from "../observe/pino_logger.ts";

/** What the operator's environment decides. */
export interface OperatorSettings {
  readonly kopiur: KopiurSettings;
  readonly logLevel: LogLevel;
  readonly healthPort: number;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"] as const;
const HEALTH_PORT = 8080;

/** Reads the environment. Throws on a value that it does not understand, as a typing error must not go unnoticed. */
export function operatorSettings(env: Env, version: string): OperatorSettings {
  const imagePullPolicy = oneOf(env, "HOLDFAST_MOVER_PULL_POLICY", PULL_POLICIES);
  const namespace = env.HOLDFAST_NAMESPACE;
  return {
    kopiur: {
      moverImage: env.HOLDFAST_MOVER_IMAGE || `holdfast/mover:${version}`,
      ...(imagePullPolicy ? { imagePullPolicy } : {}),
    },
    logLevel: oneOf(env, "HOLDFAST_LOG_LEVEL", LEVELS) ?? "info",
    healthPort: port(env, "HOLDFAST_HEALTH_PORT") ?? HEALTH_PORT,
    ...(namespace ? { namespace } : {}),
  };
}

function oneOf<T extends string>(env: Env, name: string, known: readonly T[]): T | undefined {
  const value = env[name];
  if (!value) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new Error(`${name} is ${JSON.stringify(value)}: it must be one of ${known.join(", ")}`);
  return found;
}

function port(env: Env, name: string): number | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new Error(`${name} is ${JSON.stringify(value)}: it must be a port, from 0 (any free one) to 65535`);
  }
  return Number(value);
}
