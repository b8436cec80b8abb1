import type { PodClient } from "../client/pod_client.ts";
import type { Client, Writer } from "../client.ts";
import { LeadershipLost } from "../runnable.ts";

type Call = keyof Writer | keyof PodClient;

const WRITES: Readonly<Record<Call, boolean>> = {
  create: true,
  update: true,
  patch: true,
  apply: true,
  delete: true,
  deleteCollection: true,
  getScale: false,
  setScale: true,
  logs: false,
  exec: true,
  portForward: true,
};

/**
 * The same client, but writes, and what may change something in a pod, are refused with LeadershipLost from the moment at which this process no longer
 * leads: a process that was paused wakes up in the middle of a reconcile, before any timer has told it so.
 */
export function fenced<C extends Client | PodClient>(client: C, isLeader: () => boolean): C {
  return new Proxy(client, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      const writes = Object.hasOwn(WRITES, property) && WRITES[property as Call];
      return (...args: unknown[]) => {
        if (!writes || isLeader()) return Reflect.apply(member, target, args);
        return Promise.reject(
          new LeadershipLost(
            `refused to ${String(property)}: this process no longer is the leader; restart it`,
          ),
        );
      };
    },
  });
}
