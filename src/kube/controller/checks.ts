import type { Cache } from "../cache/cache.ts";
import { accessName } from "../client/request_access.ts";
import type { RightsWatch } from "../client/rights_watch.ts";
import type { KubeObject } from "../object.ts";
import type { Controller } from "./controller.ts";
import type { Finding, HealthCheck } from "./health.ts";
import type { LeaderElector } from "./leader.ts";
import type { Manager } from "./manager.ts";

const OK = { ok: true } as const;

/**
 * For readiness: the cache has a full state, which the API server confirmed at most `limit` milliseconds ago. Whether one
 * has it that the program can do without is information.
 */
export function cacheCheck(
  name: string,
  cache: Pick<Cache<KubeObject>, "synced" | "staleness" | "trouble" | "optional">,
  limit = 120_000,
): HealthCheck {
  const failed = (problem: string): Finding => {
    const whole = cache.trouble === undefined ? problem : `${problem}: ${cache.trouble}`;
    return cache.optional ? { ok: true, warning: whole } : { ok: false, problem: whole };
  };
  return {
    name: `cache/${name}`,
    check: () => {
      if (!cache.synced) return failed("not synced yet");
      if (cache.staleness <= limit) return OK;
      return failed(
        `the API server has not confirmed it for ${seconds(cache.staleness)} (limit ${seconds(limit)})`,
      );
    },
  };
}

/** As information: what the API server does not let this program do. */
export function rightsCheck(rights: Pick<RightsWatch, "missing">): HealthCheck {
  return {
    name: "rights",
    check: () => {
      const missing = rights.missing.map((right) => {
        const where = right.namespaces.length > 0 ? ` in ${right.namespaces.join(", ")}` : "";
        return accessName(right) + where;
      });
      return missing.length === 0 ? OK : { ok: true, warning: `missing: ${missing.join("; ")}` };
    },
  };
}

/** As information: what keeps the API server from calling the webhooks. A server that is not ready would not be called either. */
export function doorCheck(door: { readonly problem: string | undefined }): HealthCheck {
  return {
    name: "webhooks",
    check: () => (door.problem === undefined ? OK : { ok: true, warning: door.problem }),
  };
}

/** For readiness: the parts that every replica runs are up. One check for each; elected ones may well wait. */
export function startedChecks(manager: Pick<Manager, "states" | "stopping">): readonly HealthCheck[] {
  const checks = manager.states().map(({ group, name }, i) => ({
    group,
    name: `${group}/${name}`,
    check: (): Finding => {
      const state = manager.states()[i]?.state;
      if (state === "running") return OK;
      return { ok: false, problem: manager.stopping ? "the program is stopping" : `it is ${state}` };
    },
  }));
  return checks.filter(({ group }) => group !== "leader" && group !== "elected");
}

/** For liveness: no part has come to an end of its own. */
export function aliveCheck(manager: Pick<Manager, "states">): HealthCheck {
  return {
    name: "runnables",
    check: () => {
      const dead = manager.states().filter(({ state }) => state === "failed");
      if (dead.length === 0) return OK;
      return { ok: false, problem: dead.map(({ group, name }) => `${group}/${name} has failed`).join("; ") };
    },
  };
}

/** A reconcile that goes on for so long after its deadline, in milliseconds, does not hear it. */
const DEAF_AFTER = 480_000;

/** For liveness: no reconcile is deaf to its deadline. */
export function progressCheck(controller: Pick<Controller, "name" | "queue" | "deadline">): HealthCheck {
  return {
    name: `controller/${controller.name}`,
    check: () => {
      const { longestRunning, inFlight } = controller.queue;
      if (longestRunning <= controller.deadline + DEAF_AFTER) return OK;
      const problem = `the reconcile of ${inFlight[0]} has been stuck for ${seconds(longestRunning)}`;
      return { ok: false, problem };
    },
  };
}

/** For readiness, as information: a replica that waits its turn is ready. */
export function leaderCheck(elector: Pick<LeaderElector, "isLeader" | "holder">): HealthCheck {
  return {
    name: "leader",
    check: () => {
      if (elector.isLeader()) return { ok: true, note: "this replica leads" };
      return { ok: true, note: elector.holder ? `${elector.holder} leads` : "nobody leads yet" };
    },
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
