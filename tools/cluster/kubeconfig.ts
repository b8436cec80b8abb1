import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ClusterInfo } from "./info.ts";

type Cluster = Pick<ClusterInfo, "name" | "directory" | "server" | "ca">;

/** How a user proves who they are: with a certificate of the cluster's `pki` folder, or with a token. */
export type Credentials = { readonly certificate: string } | { readonly token: string };

/** The text of a kubeconfig with everything embedded. */
export function kubeconfig(cluster: Cluster, credentials: Credentials): string {
  const name = `holdfast-${cluster.name}`;
  const embedded = (path: string) => readFileSync(path).toString("base64");
  const pki = (file: string) => embedded(join(cluster.directory, "pki", file));
  const user =
    "token" in credentials
      ? { token: credentials.token }
      : {
          "client-certificate-data": pki(`${credentials.certificate}.crt`),
          "client-key-data": pki(`${credentials.certificate}.key`),
        };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      { name, cluster: { server: cluster.server, "certificate-authority-data": embedded(cluster.ca) } },
    ],
    users: [{ name, user }],
  });
}

/** Where the kubeconfig of one of the cluster's own users is. */
export function kubeconfigPath(directory: string, user: string): string {
  return join(directory, `${user}.kubeconfig`);
}

export function writeKubeconfigs(cluster: Cluster, users: readonly string[]): void {
  for (const user of users) {
    const text = kubeconfig(cluster, { certificate: user });
    writeFileSync(kubeconfigPath(cluster.directory, user), text, { mode: 0o600 });
  }
}
