import type { Api } from "../core/api.ts";
import { AdoptionWatch } from "../kube/adoption/adoption_watch.ts";
import type { Reader } from "../kube/client.ts";
import type { HealthCheck } from "../kube/controller/health.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../observe/log.ts";
import type { OperatorSettings } from "./operator_settings.ts";

export interface AdoptedApisOptions {
  readonly client: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Pick<OperatorSettings, "apis" | "adopt" | "namespace">;
  /** Called when another set of APIs is to be served than was at the start. */
  readonly startAgain: (reason: string) => void;
  /** How often CRDs are looked at, in milliseconds. */
  readonly period?: number;
}

/** What is served of the APIs that were asked for, and what looks on. */
export interface AdoptedApis {
  readonly apis: readonly Api[];
  readonly watches: readonly AdoptionWatch[];
  readonly checks: readonly HealthCheck[];
}

const NOT_IN_ONE_NAMESPACE =
  "not served: it needs an operator that watches all namespaces (HOLDFAST_NAMESPACE is set)";

/** So many problems are told at a probe; the log has all. */
const MOST = 5;

/**
 * Leaves out what an operator of one namespace cannot serve. Then looks, where CRDs may be somebody else's, which APIs
 * they allow. One that they do not is as if it were switched off.
 */
export async function adoptedApis(options: AdoptedApisOptions): Promise<AdoptedApis> {
  const { settings, startAgain, ...ports } = options;
  const { adopt, namespace } = settings;
  const tooWide = settings.apis.filter(({ wholeCluster }) => wholeCluster && namespace !== undefined);
  const apis = settings.apis.filter((api) => !tooWide.includes(api));
  for (const { name } of tooWide)
    ports.log.warn({ api: name, namespace }, `the API is ${NOT_IN_ONE_NAMESPACE}`);
  const checks = tooWide.map(({ name }) => notServedCheck(name, () => NOT_IN_ONE_NAMESPACE));
  if (!adopt) return { apis, watches: [], checks };
  // One without kinds has no CRDs that could be somebody else's.
  const looked = await Promise.all(
    apis
      .filter(({ kinds }) => kinds.length > 0)
      .map(async (api) => {
        const kinds = api.kinds.filter(({ resource }) => namespace === undefined || resource.namespaced);
        const onTurn = (reason: string) =>
          startAgain(`the API ${api.name} is served or not served anew: ${reason}`);
        const watch = new AdoptionWatch({ ...ports, name: api.name, kinds, namespace, ...adopt, onTurn });
        await watch.look();
        return { api, watch, open: watch.problems.length === 0 };
      }),
  );
  const shut = looked.flatMap((one) => (one.open ? [] : [one.api]));
  const open = apis.filter((api) => !shut.includes(api));
  const isOpen = (name: string) => open.some((api) => api.name === name);
  return {
    apis: open.filter(({ needs = [] }) => needs.every(isOpen)),
    watches: looked.map(({ watch }) => watch),
    checks: [...checks, ...looked.map(({ watch }) => adoptionCheck(watch))],
  };
}

/** As information: why an API is not served. The others are. */
function adoptionCheck(watch: AdoptionWatch): HealthCheck {
  return notServedCheck(watch.name, () => {
    const { problems } = watch;
    const more = problems.length - MOST;
    const rest = more > 0 ? [`and ${more} more, which the log names`] : [];
    return problems.length === 0
      ? undefined
      : `not served: ${[...problems.slice(0, MOST), ...rest].join("; ")}`;
  });
}

function notServedCheck(name: string, warningOf: () => string | undefined): HealthCheck {
  return {
    name,
    check: () => {
      const warning = warningOf();
      return { ok: true, ...(warning === undefined ? {} : { warning }) };
    },
  };
}
