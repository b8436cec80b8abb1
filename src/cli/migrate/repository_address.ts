import { err, ok, type Result } from "../../lib/result.ts";

/** The settings that a repository Secret of VolSync's holds, without what is secret in it. */
export type AddressSettings = Readonly<Record<string, string>>;

/** Keys that say where a repository is. Nothing else of a Secret is ever kept. */
export const ADDRESS_KEYS = [
  "RESTIC_REPOSITORY",
  "KOPIA_REPOSITORY",
  "KOPIA_S3_BUCKET",
  "KOPIA_S3_ENDPOINT",
  "AWS_S3_ENDPOINT",
  "AWS_DEFAULT_REGION",
  "AWS_REGION",
  "AZURE_ACCOUNT_NAME",
  "AZURE_STORAGE_ACCOUNT",
] as const;

type Parts = readonly string[];

/** Every form of address that restic and kopia have, and the `spec.backend` that it means. */
const FORMS: readonly {
  readonly form: RegExp;
  readonly backend: (parts: Parts, settings: AddressSettings, auth: object) => Result<object, string>;
}[] = [
  // kopia: the endpoint stands beside the address.
  {
    form: /^s3:\/\/([^/]+)\/?(.*)$/,
    backend: ([bucket, path], settings, auth) =>
      s3({ bucket, path, endpoint: endpointOf(settings), settings, auth }),
  },
  {
    form: /^s3:((?:https?:\/\/)?[^/]+)\/([^/]+)\/?(.*)$/,
    backend: ([endpoint, bucket, path], settings, auth) => s3({ bucket, path, endpoint, settings, auth }),
  },
  {
    form: /^azure:(?:\/\/)?([^:/]+)[:/]*(.*)$/,
    backend: ([container, path], settings, auth) => {
      const storageAccount = settings.AZURE_ACCOUNT_NAME ?? settings.AZURE_STORAGE_ACCOUNT;
      if (!storageAccount) return err("the Secret names no AZURE_ACCOUNT_NAME");
      return ok({ azure: { container, ...prefix(path), storageAccount, auth } });
    },
  },
  {
    form: /^(?:gs|gcs):(?:\/\/)?([^:/]+)[:/]*(.*)$/,
    backend: ([bucket, path], _, auth) => ok({ gcs: { bucket, ...prefix(path), auth } }),
  },
  {
    form: /^b2:(?:\/\/)?([^:/]+)[:/]*(.*)$/,
    backend: ([bucket, path], _, auth) => ok({ b2: { bucket, ...prefix(path), auth } }),
  },
  {
    form: /^sftp:(?:\/\/)?([^@/]+)@([^:/]+)(?::(\d+))?[:/]+(.*)$/,
    backend: ([username, host, port, path], _, auth) =>
      ok({ sftp: { host, ...(port ? { port: Number(port) } : {}), username, path: `/${path}`, auth } }),
  },
  {
    form: /^rclone:(?:\/\/)?(.+)$/,
    backend: ([remotePath], _, auth) => ok({ rclone: { remotePath, auth } }),
  },
  {
    form: /^webdav(s?):\/\/(.+)$/,
    backend: ([secure, rest], _, auth) => ok({ webDav: { url: `http${secure}://${rest}`, auth } }),
  },
];

/** The `spec.backend` that stands for an address; or why there is none. `secret` holds the credentials. */
export function backendOf(settings: AddressSettings, secret: string): Result<object, string> {
  const address = settings.RESTIC_REPOSITORY ?? settings.KOPIA_REPOSITORY ?? "";
  if (address === "") return err("the Secret does not say where the repository is");
  if (carriesSecret(address) || carriesSecret(endpointOf(settings) ?? ""))
    return err(
      "the repository's address holds a password, which a Repository must not show: put it into the Secret",
    );
  const auth = { secretRef: { name: secret } };
  for (const { form, backend } of FORMS) {
    const match = form.exec(address);
    if (match) return backend(match.slice(1), settings, auth);
  }
  return err(`there is no backend for addresses such as ${address.split(":")[0]}:…`);
}

/** A user in front of the host (for sftp one with a password), or options of an rclone remote. */
function carriesSecret(address: string): boolean {
  if (/^rclone:(?:\/\/)?(?::|[^:]*,)/.test(address)) return true;
  const [authority = ""] = address.replace(/^(?:[a-z\d]+:)?(?:https?:)?(?:\/\/)?/i, "").split("/");
  const at = authority.lastIndexOf("@");
  if (at < 0) return false;
  return !address.startsWith("sftp:") || authority.slice(0, at).includes(":");
}

function endpointOf(settings: AddressSettings): string | undefined {
  return settings.KOPIA_S3_ENDPOINT ?? settings.AWS_S3_ENDPOINT;
}

interface S3Place {
  readonly bucket: string | undefined;
  readonly path: string | undefined;
  readonly endpoint: string | undefined;
  readonly settings: AddressSettings;
  readonly auth: object;
}

function s3({ bucket, path, endpoint, settings, auth }: S3Place): Result<object, string> {
  const region = settings.AWS_REGION ?? settings.AWS_DEFAULT_REGION;
  const where = { ...(endpoint ? { endpoint } : {}), ...(region ? { region } : {}) };
  return ok({ s3: { bucket, ...prefix(path), ...where, auth } });
}

/** Keys in a bucket begin with it, as a folder does. */
function prefix(path = ""): { readonly prefix?: string } {
  const clean = path.replace(/^\/+|\/+$/g, "");
  return clean ? { prefix: `${clean}/` } : {};
}
