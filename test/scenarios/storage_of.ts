import type { Place } from "../../src/engines/testing/backend_cases.ts";
import type { RepositorySpec } from "../../src/kinds/kopiur/generated/repository.ts";

/** The certificate authorities of a storage, as a ConfigMap of the stage holds them. */
export const AUTHORITIES = { configMapName: "authorities", key: "ca.crt" } as const;

/** A storage as a Repository names it, with its credentials in the Secret of this name. */
export function storageOf({ backend }: Place, secret: string): RepositorySpec["backend"] {
  const auth = { secretRef: { name: secret } };
  if ("azure" in backend) {
    const { account, tls, ...azure } = backend.azure;
    const trust = tls?.ca ? { tls: { caBundleRef: AUTHORITIES, insecureSkipVerify: false } } : {};
    return { azure: { ...azure, storageAccount: account, auth, ...trust } };
  }
  if ("gcs" in backend) return { gcs: backend.gcs };
  if ("b2" in backend) return { b2: { ...backend.b2, auth } };
  if ("sftp" in backend) {
    const { user, port = 22, ...sftp } = backend.sftp;
    return { sftp: { ...sftp, port, username: user, auth } };
  }
  if ("webdav" in backend) return { webDav: { url: backend.webdav.url, auth } };
  if ("rclone" in backend) return { rclone: { remotePath: backend.rclone.remote, auth } };
  throw new Error(`there is no scenario for ${Object.keys(backend)[0]}`);
}

/** The authorities that a storage's server is to be checked by, where it has its own. */
export function authoritiesOf({ backend }: Place): string | undefined {
  return "azure" in backend ? backend.azure.tls?.ca : undefined;
}
