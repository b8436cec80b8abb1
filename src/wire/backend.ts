/** Where a repository lives. Exactly one key is set, and it names the kind of storage. */
export type Backend =
  | { readonly filesystem: FilesystemBackend }
  | { readonly s3: S3Backend }
  | { readonly azure: AzureBackend }
  | { readonly gcs: GcsBackend }
  | { readonly b2: B2Backend }
  | { readonly sftp: SftpBackend }
  | { readonly webdav: WebdavBackend }
  | { readonly rclone: RcloneBackend };

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** The key of a backend. */
export type BackendKind = KeysOf<Backend>;

/** The kind of a backend, for messages and metrics. */
export function backendKind(backend: Backend): BackendKind {
  return Object.keys(backend)[0] as BackendKind;
}

export interface FilesystemBackend {
  /** Absolute path of the repository's folder. */
  readonly path: string;
}

export interface S3Backend {
  readonly bucket: string;
  /** Keys begin with this. Default: none. */
  readonly prefix?: string;
  /** `host`, `host:port`, or a URL, whose `http:` means no TLS. Default: Amazon's for the region. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Default `Auto`: by path for an endpoint that is an address or has a port, otherwise by host name. */
  readonly addressing?: "Auto" | "Path" | "Host";
  /** Which profile of a credentials file. Default `default`. */
  readonly profile?: string;
  readonly tls?: Tls;
}

export interface AzureBackend {
  readonly container: string;
  readonly prefix?: string;
  readonly account: string;
  /** What the account's key is called in a credentials file. Default `AZURE_STORAGE_ACCOUNT_ACCESS_KEY`. */
  readonly keyName?: string;
  /** Host suffix, or the URL of an emulator. Default `blob.core.windows.net`. */
  readonly endpoint?: string;
  readonly tls?: Tls;
}

export interface GcsBackend {
  readonly bucket: string;
  readonly prefix?: string;
  /** The URL of an emulator. Default: Google's. */
  readonly endpoint?: string;
}

export interface B2Backend {
  readonly bucket: string;
  readonly prefix?: string;
}

export interface SftpBackend {
  readonly host: string;
  /** Default 22. */
  readonly port?: number;
  readonly user: string;
  /** Path on the server. */
  readonly path: string;
}

export interface WebdavBackend {
  readonly url: string;
  readonly tls?: Tls;
}

export interface RcloneBackend {
  /** `remote:path`, with the remote defined in RCLONE_CONFIG's text. */
  readonly remote: string;
}

/** How a server's certificate is checked. */
export interface Tls {
  /** PEM of the certificate authorities to trust, instead of the system's. */
  readonly ca?: string;
  /** Accept any certificate. Default false. */
  readonly insecureSkipVerify?: boolean;
}
