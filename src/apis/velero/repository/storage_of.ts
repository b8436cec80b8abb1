import { posix } from "node:path";
import type { CredentialSource } from "../../../core/work/run_secrets.ts";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Backend, Tls } from "../../../wire/backend.ts";
import type { CredentialKey } from "../../../wire/credentials.ts";

/** Which program the repository is of. */
export type RepositoryType = "kopia" | "restic";

/** How a mover reaches the repository of a namespace. */
export interface Storage {
  readonly backend: Backend;
  /** The Secret is mounted by its name, and never read here. */
  readonly credentials: readonly CredentialSource[];
}

/** Where credentials are that a location does not name. */
export const DEFAULT_CREDENTIAL = { name: "cloud-credentials", key: "cloud" };

/** Where the repository of a namespace lies in a location, as Velero lays it out; or why it cannot be reached. */
export function storageOf(
  location: BackupStorageLocation,
  volumeNamespace: string,
  type: RepositoryType = "kopia",
): Result<Storage, string> {
  const { provider, config = {}, objectStorage } = location.spec;
  const where = `BackupStorageLocation ${location.metadata.name}`;
  const kind = provider.replace(/^velero\.io\//, "");
  const prefix = `${posix.join(objectStorage.prefix ?? "", type, volumeNamespace).replace(/^\//, "")}/`;
  const tls = tlsOf(location);
  if (!tls.ok) return tls;
  const { bucket } = objectStorage;
  if (kind === "aws" || (kind !== "azure" && kind !== "gcp" && config.s3Url !== undefined)) {
    const endpoint = endpointOf(config.s3Url);
    if (!endpoint.ok) return err(`${where}: ${endpoint.error}`);
    const { region, profile } = config;
    const s3 = { bucket, prefix, ...endpoint.value, ...given({ region, profile }), ...tls.value };
    return ok({ backend: { s3 }, credentials: credentials(location, "AWS_CREDENTIALS_FILE") });
  }
  if (kind === "azure") {
    const { storageAccount: account, storageAccountKeyEnvVar: keyName, storageAccountURI: endpoint } = config;
    if (!account) return err(`${where} names no storage account. Set spec.config.storageAccount.`);
    if (config.useAAD === "true")
      return err(`${where} asks for Entra ID (useAAD), which movers cannot use. Use the account's key.`);
    const azure = { container: bucket, prefix, account, ...given({ keyName, endpoint }), ...tls.value };
    return ok({ backend: { azure }, credentials: credentials(location, "AZURE_CREDENTIALS_FILE") });
  }
  if (kind === "gcp") {
    return ok({
      backend: { gcs: { bucket, prefix } },
      credentials: credentials(location, "GCS_CREDENTIALS_JSON"),
    });
  }
  if (kind === "fs")
    return err(
      `${where} is a folder that Velero's own node agent has mounted (config.fspath), and movers have no such mount. Use object storage.`,
    );
  return err(
    `${where} has the provider ${provider}, whose storage movers cannot reach. They can reach aws, azure, gcp, and every provider with config.s3Url.`,
  );
}

/** Whether an address of a restic repository, as Velero wrote it, is where the location has it; none says nothing. */
export function isAt(location: BackupStorageLocation, volumeNamespace: string, address: string): boolean {
  const place = posix.join("/", location.spec.objectStorage.prefix ?? "", "restic", volumeNamespace);
  return address === "" || address.endsWith(place);
}

function credentials({ spec }: BackupStorageLocation, as: CredentialKey): readonly CredentialSource[] {
  const { name, key } = spec.credential?.name ? spec.credential : DEFAULT_CREDENTIAL;
  const { caCertRef } = spec.objectStorage;
  const authorities: CredentialSource[] = caCertRef?.name
    ? [{ secret: caCertRef.name, items: [{ key: caCertRef.key, as: "CA_CERTIFICATES" }] }]
    : [];
  return [{ secret: name, items: [{ key, as }] }, ...authorities];
}

function endpointOf(url: string | undefined): Result<{ readonly endpoint?: string }, string> {
  if (url === undefined) return ok({});
  const parsed = URL.parse(url);
  if (!parsed?.host) return err(`config.s3Url ${url} is not a URL.`);
  if (parsed.pathname !== "/" && parsed.pathname !== "")
    return err(`config.s3Url ${url} has a path, which S3 does not know. Use objectStorage.prefix.`);
  return ok({ endpoint: `${parsed.protocol}//${parsed.host}` });
}

function tlsOf({ metadata, spec }: BackupStorageLocation): Result<{ readonly tls?: Tls }, string> {
  const { caCert, caCertRef } = spec.objectStorage;
  if (caCertRef && !caCertRef.name)
    return err(
      `BackupStorageLocation ${metadata.name} names no Secret in objectStorage.caCertRef. Set caCertRef.name.`,
    );
  // As with Velero, the Secret counts where both are given.
  const ca = caCert === undefined || caCertRef ? {} : { ca: Buffer.from(caCert, "base64").toString() };
  const skip = spec.config?.insecureSkipTLSVerify === "true" ? { insecureSkipVerify: true } : {};
  const tls = { ...ca, ...skip };
  return ok(Object.keys(tls).length === 0 ? {} : { tls });
}

function given<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as {
    [K in keyof T]?: string;
  };
}
