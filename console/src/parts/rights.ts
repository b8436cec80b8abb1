import { useQuery } from "@tanstack/react-query";
import type { Action } from "../../../src/cli/console/contract.ts";
import { rightsQuery } from "../api/queries.ts";

/**
 * Why the person may not do this; undefined where they may, and until it is known: the server decides in any case. `of`: the
 * Backup or repository that it is done to, where that tells which namespace counts.
 */
export function useDenial(action: Action, namespace: string | undefined, of?: string): string | undefined {
  const { data } = useQuery(rightsQuery(namespace, of));
  if (data === undefined) return undefined;
  const right = data[action];
  if (right?.allowed) return undefined;
  return right?.why ?? `You may not do this in ${namespace ?? "this cluster"}.`;
}
