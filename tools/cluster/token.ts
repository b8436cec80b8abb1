import { call } from "./api.ts";
import type { ClusterInfo } from "./info.ts";
import { kubeconfig } from "./kubeconfig.ts";

export interface TokenOptions {
  /** Default `default`. */
  readonly namespace?: string;
  readonly serviceAccount: string;
  /** How long it is valid; the API server takes no less than 600. Default 3600. */
  readonly seconds?: number;
}

/** A token of a service account that exists. */
export async function serviceAccountToken(cluster: ClusterInfo, options: TokenOptions): Promise<string> {
  const { namespace = "default", serviceAccount, seconds = 3600 } = options;
  const answer = JSON.parse(
    await call(cluster, {
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`,
      body: JSON.stringify({
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: seconds },
      }),
    }),
  ) as { readonly status: { readonly token: string } };
  return answer.status.token;
}

/** The text of a kubeconfig that acts as a service account. */
export async function serviceAccountKubeconfig(cluster: ClusterInfo, options: TokenOptions): Promise<string> {
  return kubeconfig(cluster, { token: await serviceAccountToken(cluster, options) });
}
