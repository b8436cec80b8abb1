import { KINDS } from "../kinds/kopiur/kinds.ts";
import { AdoptionWatch } from "../kube/adoption/adoption_watch.ts";
import type { WantedKind } from "../kube/adoption/crd_shortfalls.ts";
import type { Reader } from "../kube/client.ts";
import type { HealthCheck } from "../kube/controller/health.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../observe/log.ts";
import type { ApiName, OperatorSettings } from "./operator_settings.ts";

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
  readonly apis: readonly ApiName[];
  readonly watches: readonly AdoptionWatch[];
  readonly checks: readonly HealthCheck[];
}

const API_KINDS: Readonly<Record<ApiName, readonly WantedKind[]>> = { kopiur: KINDS };
/** So many problems are told at a probe; the log has all. */
const MOST = 5;

/** Looks, where CRDs may be somebody else's, which APIs they allow. One that they do not is as if it were switched off. */
export async function adoptedApis(options: AdoptedApisOptions): Promise<AdoptedApis> {
  const { settings, startAgain, ...ports } = options;
  const { apis, adopt, namespace } = settings;
  if (!adopt) return { apis, watches: [], checks: [] };
  const looked = await Promise.all(
    apis.map(async (api) => {
      const kinds = API_KINDS[api].filter(({ resource }) => namespace === undefined || resource.namespaced);
      const onTurn = (reason: string) => startAgain(`the API ${api} is served or not served anew: ${reason}`);
      const watch = new AdoptionWatch({ ...ports, name: api, kinds, namespace, ...adopt, onTurn });
      await watch.look();
      return { api, watch, open: watch.problems.length === 0 };
    }),
  );
  return {
    apis: looked.flatMap(({ api, open }) => (open ? [api] : [])),
    watches: looked.map(({ watch }) => watch),
    checks: looked.map(({ watch }) => adoptionCheck(watch)),
  };
}

/** As information: why an API is not served. The others are. */
function adoptionCheck(watch: AdoptionWatch): HealthCheck {
  return {
    name: watch.name,
    check: () => {
      const { problems } = watch;
      const more = problems.length - MOST;
      const rest = more > 0 ? [`and ${more} more, which the log names`] : [];
      if (problems.length === 0) return { ok: true };
      return { ok: true, warning: `not served: ${[...problems.slice(0, MOST), ...rest].join("; ")}` };
    },
  };
}
