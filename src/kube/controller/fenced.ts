import type { Client, Writer } from "../client.ts";
import { LeadershipLost } from "./runnable.ts";

const WRITES: Readonly<Record<keyof Writer, boolean>> = {
  create: true,
  update: true,
  patch: true,
  apply: true,
  delete: true,
  deleteCollection: true,
  getScale: false,
  setScale: true,
};

/**
 * The same client, but writes are refused with LeadershipLost from the moment at which this process no longer
 * leads: a process that was paused wakes up in the middle of a reconcile, before any timer has told it so.
 */
export function fenced(client: Client, isLeader: () => boolean): Client {
  return new Proxy(client, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      const writes = Object.hasOwn(WRITES, property) && WRITES[property as keyof Writer];
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
