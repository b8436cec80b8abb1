import type { BackendKind } from "./backend.ts";

/**
 * What a backend's Secret holds, under the names that its keys have there. The values are secret: they reach an
 * engine by environment or by private file, never by argument.
 */
export type Credentials = Readonly<Partial<Record<CredentialKey, string>>>;

export type CredentialKey =
  | "AWS_ACCESS_KEY_ID"
  | "AWS_SECRET_ACCESS_KEY"
  | "AWS_SESSION_TOKEN"
  /** The text of a shared credentials file, with one of whose profiles the storage is reached. */
  | "AWS_CREDENTIALS_FILE"
  | "AZURE_STORAGE_KEY"
  | "AZURE_STORAGE_SAS_TOKEN"
  /** The text of a file of `name=value` lines, one of which is the account's key. */
  | "AZURE_CREDENTIALS_FILE"
  /** The service account's JSON itself, not a path. */
  | "GCS_CREDENTIALS_JSON"
  | "B2_ACCOUNT_ID"
  | "B2_ACCOUNT_KEY"
  /** The private key itself, in OpenSSH's form. */
  | "SFTP_PRIVATE_KEY"
  | "SFTP_PASSWORD"
  /** Lines of a known_hosts file. */
  | "SFTP_KNOWN_HOSTS"
  | "WEBDAV_USERNAME"
  | "WEBDAV_PASSWORD"
  /** The text of an rclone.conf. */
  | "RCLONE_CONFIG"
  /** PEM of the certificate authorities that the storage's server is checked against. No secret, but beside them. */
  | "CA_CERTIFICATES";

const KNOWN: Readonly<Record<CredentialKey, true>> = {
  AWS_ACCESS_KEY_ID: true,
  AWS_SECRET_ACCESS_KEY: true,
  AWS_SESSION_TOKEN: true,
  AWS_CREDENTIALS_FILE: true,
  AZURE_STORAGE_KEY: true,
  AZURE_STORAGE_SAS_TOKEN: true,
  AZURE_CREDENTIALS_FILE: true,
  GCS_CREDENTIALS_JSON: true,
  B2_ACCOUNT_ID: true,
  B2_ACCOUNT_KEY: true,
  SFTP_PRIVATE_KEY: true,
  SFTP_PASSWORD: true,
  SFTP_KNOWN_HOSTS: true,
  WEBDAV_USERNAME: true,
  WEBDAV_PASSWORD: true,
  RCLONE_CONFIG: true,
  CA_CERTIFICATES: true,
};

/** Every key that means something; others in a Secret are left alone. */
export const CREDENTIAL_KEYS = Object.keys(KNOWN) as readonly CredentialKey[];

/** Which keys a backend needs, as alternatives; the first complete one is used. An empty one needs nothing. */
export const NEEDED_CREDENTIALS: Readonly<Record<BackendKind, readonly (readonly CredentialKey[])[]>> = {
  filesystem: [[]],
  s3: [["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]],
  azure: [["AZURE_STORAGE_KEY"], ["AZURE_STORAGE_SAS_TOKEN"]],
  gcs: [["GCS_CREDENTIALS_JSON"], []],
  b2: [["B2_ACCOUNT_ID", "B2_ACCOUNT_KEY"]],
  sftp: [
    ["SFTP_PRIVATE_KEY", "SFTP_KNOWN_HOSTS"],
    ["SFTP_PASSWORD", "SFTP_KNOWN_HOSTS"],
  ],
  webdav: [["WEBDAV_USERNAME", "WEBDAV_PASSWORD"], []],
  rclone: [["RCLONE_CONFIG"]],
};

/** The keys that would complete some alternative, when none is complete; otherwise undefined. */
export function missingCredentials(
  kind: BackendKind,
  credentials: Credentials,
): readonly CredentialKey[] | undefined {
  const missing = NEEDED_CREDENTIALS[kind].map((keys) => keys.filter((key) => !credentials[key]));
  if (missing.some((keys) => keys.length === 0)) return undefined;
  return missing.toSorted((a, b) => a.length - b.length)[0];
}
