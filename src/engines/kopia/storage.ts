import { unreachable } from "../../lib/result.ts";
import type { Backend, Tls } from "../../wire/backend.ts";
import type { Credentials } from "../../wire/credentials.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { gcsKey } from "../gcs_key.ts";

/** A backend as kopia's configuration file holds it, with credentials, and what must be in kopia's environment. */
export interface KopiaStorage {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Trusted certificate authorities for those backends that take them only from a file. */
  readonly caFile?: string;
}

/** Rclone's executable, found on the mover's PATH. */
const RCLONE = "rclone";

/** Translates a backend into kopia's terms. */
export function kopiaStorage(backend: Backend, credentials: Credentials): KopiaStorage {
  if ("filesystem" in backend) {
    return storage("filesystem", { path: backend.filesystem.path, fileMode: 0o600, dirMode: 0o700 });
  }
  if ("s3" in backend) {
    const { bucket, prefix, endpoint, region, tls, addressing = "Auto" } = backend.s3;
    if (addressing !== "Auto" && (addressing === "Path") === (endpoint === undefined)) {
      throw unsupported("it addresses buckets by host at Amazon, and by path everywhere else");
    }
    const { host, secure } = splitEndpoint(endpoint ?? awsEndpoint(region));
    return storage("s3", {
      bucket,
      prefix: keyPrefix(prefix),
      endpoint: host,
      region,
      doNotUseTLS: secure ? undefined : true,
      ...tlsConfig(tls),
      accessKeyID: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
      sessionToken: credentials.AWS_SESSION_TOKEN ?? "",
    });
  }
  if ("azure" in backend) {
    const { container, prefix, account, endpoint, tls } = backend.azure;
    const { host, secure } = splitEndpoint(endpoint ?? "blob.core.windows.net");
    return storage(
      "azureBlob",
      {
        container,
        prefix: keyPrefix(prefix),
        storageAccount: account,
        storageKey: credentials.AZURE_STORAGE_KEY,
        sasToken: credentials.AZURE_STORAGE_SAS_TOKEN,
        storageDomain: host.startsWith(`${account}.`) ? host.slice(account.length + 1) : host,
        doNotUseTLS: secure ? undefined : true,
      },
      tls,
    );
  }
  if ("gcs" in backend) {
    const { bucket, prefix, endpoint } = backend.gcs;
    const config = { bucket, prefix: keyPrefix(prefix), credentials: gcsKey(credentials) };
    const gcs = storage("gcs", config);
    return endpoint === undefined ? gcs : { ...gcs, env: { STORAGE_EMULATOR_HOST: endpoint } };
  }
  if ("b2" in backend) {
    const { bucket, prefix } = backend.b2;
    const { B2_ACCOUNT_ID: keyID, B2_ACCOUNT_KEY: key } = credentials;
    return storage("b2", { bucket, prefix: keyPrefix(prefix), keyID, key });
  }
  if ("sftp" in backend) {
    const { host, port = 22, user, path } = backend.sftp;
    return storage("sftp", {
      host,
      port,
      username: user,
      path,
      password: credentials.SFTP_PASSWORD ?? "",
      keyData: credentials.SFTP_PRIVATE_KEY,
      knownHostsData: credentials.SFTP_KNOWN_HOSTS,
      externalSSH: false,
    });
  }
  if ("webdav" in backend) {
    const { url, tls } = backend.webdav;
    const { WEBDAV_USERNAME: username, WEBDAV_PASSWORD: password } = credentials;
    return storage("webdav", { url, username, password, atomicWrites: false }, tls);
  }
  if ("rclone" in backend) {
    return storage("rclone", {
      remotePath: backend.rclone.remote,
      rcloneExe: RCLONE,
      embeddedConfig: credentials.RCLONE_CONFIG,
      atomicWrites: false,
    });
  }
  return unreachable(backend);
}

function unsupported(why: string): EngineError {
  return new EngineError("Unsupported", `opening the repository: kopia cannot: ${why}`);
}

/** `tls` is for backends that know no settings of it themselves. */
function storage(type: string, config: Readonly<Record<string, unknown>>, tls?: Tls): KopiaStorage {
  if (tls?.insecureSkipVerify) throw unsupported(`with ${type} it always checks certificates`);
  return { type, config, env: {}, ...(tls?.ca ? { caFile: tls.ca } : {}) };
}

function tlsConfig(tls: Tls | undefined): Readonly<Record<string, unknown>> {
  return {
    ...(tls?.ca ? { rootCA: Buffer.from(tls.ca).toString("base64") } : {}),
    ...(tls?.insecureSkipVerify ? { doNotVerifyTLS: true } : {}),
  };
}

/** kopia joins prefix and name without a slash of its own. */
function keyPrefix(prefix: string | undefined): string | undefined {
  if (!prefix) return undefined;
  return prefix.endsWith("/") ? prefix : `${prefix}/`;
}

function awsEndpoint(region: string | undefined): string {
  return region === undefined ? "s3.amazonaws.com" : `s3.${region}.amazonaws.com`;
}

/** Host and port of an endpoint that may be a URL. */
function splitEndpoint(endpoint: string): { readonly host: string; readonly secure: boolean } {
  const host = endpoint.replace(/^https?:\/\//, "").replace(/\/+$/, "");
  return { host, secure: !endpoint.startsWith("http://") };
}
