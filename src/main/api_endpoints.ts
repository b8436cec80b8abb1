import type { Api, EndpointPorts } from "../core/api.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { ServeRequest } from "../lib/https_server.ts";

export interface ApiEndpointsOptions extends Omit<EndpointPorts, "informers"> {
  readonly informers: Pick<Informers, "for">;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

/** What the APIs answer at the port for health and metrics. Those of one namespace alone answer nothing there. */
export function apiEndpoints(
  apis: readonly Api[],
  { informers, namespace, ...ports }: ApiEndpointsOptions,
): Readonly<Record<string, ServeRequest>> {
  if (namespace !== undefined) return {};
  const answers = apis.map((api) => api.endpoints?.({ ...ports, informers: informers.for(api.name) }) ?? {});
  return Object.assign({}, ...answers) as Readonly<Record<string, ServeRequest>>;
}
