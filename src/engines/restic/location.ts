import { type Backend, backendKind, type S3Backend, type SftpBackend, type Tls } from "../../wire/backend.ts";
import { type Credentials, missingCredentials } from "../../wire/credentials.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { gcsKey } from "../gcs_key.ts";

/** How restic is told where a repository lives. Only `env` and `files` hold secrets. */
export interface Location {
  /** What `RESTIC_REPOSITORY` says. */
  readonly repository: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that must exist with mode 0600 in the private folder while restic runs. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

export interface Surroundings {
  /** Where its private files will be. */
  readonly folder: string;
  /** Path of holdfast-sftp. */
  readonly sftpProgram: string;
}

/** The location for a backend. Throws what restic cannot do. */
export function resticLocation(
  backend: Backend,
  credentials: Credentials,
  { folder, sftpProgram }: Surroundings,
): Location {
  const kind = backendKind(backend);
  const missing = missingCredentials(kind, credentials);
  if (missing !== undefined) {
    throw new EngineError("CredentialsMissing", `the ${kind} backend needs ${missing.join(" and ")}`, {
      remedy: `Add ${missing.join(" and ")} to the Secret that the repository names.`,
    });
  }
  if ("filesystem" in backend) return plain(backend.filesystem.path);
  if ("s3" in backend) return s3(backend.s3, credentials, folder);
  if ("azure" in backend) {
    const { account, container, prefix = "", endpoint = "blob.core.windows.net", tls } = backend.azure;
    if (endpoint.includes("//")) throw unsupportedEndpoint("azure", endpoint);
    return withTls(tls, folder, {
      ...plain(`azure:${container}:/${withoutSlashes(prefix)}`),
      env: present({
        AZURE_ACCOUNT_NAME: account,
        AZURE_ACCOUNT_KEY: credentials.AZURE_STORAGE_KEY,
        AZURE_ACCOUNT_SAS: credentials.AZURE_STORAGE_KEY ? undefined : credentials.AZURE_STORAGE_SAS_TOKEN,
        AZURE_ENDPOINT_SUFFIX: endpoint.replace(/^blob\./, ""),
      }),
    });
  }
  if ("gcs" in backend) {
    // No project is named: with one, restic would create a bucket that is missing.
    const { bucket, prefix = "", endpoint } = backend.gcs;
    const key = credentials.GCS_CREDENTIALS_JSON;
    // restic's own words of it would be those of a damaged repository.
    gcsKey(credentials);
    return {
      ...plain(`gs:${bucket}:/${withoutSlashes(prefix)}`),
      env: present({
        GOOGLE_APPLICATION_CREDENTIALS: key ? `${folder}/gcs.json` : undefined,
        STORAGE_EMULATOR_HOST: endpoint,
        // An emulator checks no token, but restic does not start without one.
        GOOGLE_ACCESS_TOKEN: endpoint !== undefined && !key ? "emulator" : undefined,
      }),
      files: key ? [{ name: "gcs.json", text: key }] : [],
    };
  }
  if ("b2" in backend) {
    const { bucket, prefix = "" } = backend.b2;
    const { B2_ACCOUNT_ID, B2_ACCOUNT_KEY } = credentials;
    return {
      ...plain(`b2:${bucket}:/${withoutSlashes(prefix)}`),
      env: present({ B2_ACCOUNT_ID, B2_ACCOUNT_KEY }),
    };
  }
  if ("sftp" in backend) return sftp(backend.sftp, credentials, sftpProgram);
  if ("rclone" in backend) {
    return {
      ...plain(`rclone:${backend.rclone.remote}`),
      env: { RCLONE_CONFIG: `${folder}/rclone.conf` },
      files: [{ name: "rclone.conf", text: credentials.RCLONE_CONFIG ?? "" }],
    };
  }
  throw new EngineError("Unsupported", `restic has no ${kind} backend`, {
    remedy: "Reach the server through an rclone remote, or use kopia.",
  });
}

function plain(repository: string): Location {
  return { repository, args: [], env: {}, files: [] };
}

function s3(backend: S3Backend, credentials: Credentials, folder: string): Location {
  const { bucket, prefix = "", region, addressing = "Auto", tls } = backend;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = credentials;
  const given = backend.endpoint ?? (region ? `s3.${region}.amazonaws.com` : "s3.amazonaws.com");
  const endpoint = (given.includes("://") ? given : `https://${given}`).replace(/\/+$/, "");
  const style = { Auto: hasPortOrAddress(endpoint) ? "path" : "auto", Path: "path", Host: "dns" }[addressing];
  return withTls(tls, folder, {
    ...plain(`s3:${[endpoint, bucket, withoutSlashes(prefix)].filter(Boolean).join("/")}`),
    args: ["-o", `s3.bucket-lookup=${style}`, ...(region ? ["-o", `s3.region=${region}`] : [])],
    env: present({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN }),
  });
}

function hasPortOrAddress(endpoint: string): boolean {
  const { port, hostname } = new URL(endpoint);
  return port !== "" || /^[\d.]+$|^\[/.test(hostname);
}

/** restic speaks SFTP through a program that connects it with the server. */
function sftp(backend: SftpBackend, credentials: Credentials, program: string): Location {
  const { host, port = 22, user, path } = backend;
  const { SFTP_PRIVATE_KEY: privateKey, SFTP_PASSWORD: password, SFTP_KNOWN_HOSTS: knownHosts } = credentials;
  const server = { host, port, user, knownHosts, ...(privateKey ? { privateKey } : { password }) };
  return {
    // The second slash makes the path absolute on the server.
    ...plain(`sftp://${encodeURIComponent(user)}@${host.includes(":") ? `[${host}]` : host}:${port}/${path}`),
    args: ["-o", `sftp.command='${program}'`],
    env: { HOLDFAST_SFTP_SERVER: JSON.stringify(server) },
  };
}

function withTls(tls: Tls | undefined, folder: string, location: Location): Location {
  const { ca, insecureSkipVerify = false } = tls ?? {};
  return {
    ...location,
    args: [
      ...location.args,
      ...(ca === undefined ? [] : ["--cacert", `${folder}/ca.pem`]),
      ...(insecureSkipVerify ? ["--insecure-tls"] : []),
    ],
    files: [...location.files, ...(ca === undefined ? [] : [{ name: "ca.pem", text: ca }])],
  };
}

function unsupportedEndpoint(kind: string, endpoint: string): EngineError {
  return new EngineError(
    "Unsupported",
    `restic cannot use the ${kind} endpoint ${endpoint}: it takes a host name`,
    {
      remedy: "Give the host suffix alone, such as blob.core.windows.net, or use kopia.",
    },
  );
}

const withoutSlashes = (text: string) => text.replace(/^\/+|\/+$/g, "");

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1])),
  );
}
