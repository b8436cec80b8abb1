import type { Violation } from "../../../core/reconcile/violation.ts";
import type { BackendSpec, CredentialRef } from "../../../core/repository/repository.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

/** What a repository's storage needs besides its URL. */
export interface StorageSettings {
  readonly url: string;
  /** Where the settings stand. */
  readonly at: string;
  /** Variables whose values are no secrets. */
  readonly values: Readonly<Record<string, string>>;
  readonly keys: readonly CredentialRef[];
  /** The PVC that a path is on. */
  readonly volume?: string | undefined;
}

/** Where the data of a restic repository lies, by the URL that restic has for it. */
export function backendOfUrl(settings: StorageSettings): Result<BackendSpec, Violation> {
  const { url, at } = settings;
  if (url.startsWith("/")) return onVolume(settings, url);
  const scheme = url.slice(0, url.indexOf(":"));
  const make = SCHEMES[scheme];
  if (!make)
    return err(wrong(at, url, "Use s3:, b2:, azure:, gs:, sftp:, rclone: or an absolute path on a volume"));
  const made = make(url.slice(scheme.length + 1), settings);
  return made ? ok(made) : err(wrong(at, url, `Write it as ${FORMS[scheme]}`));
}

const FORMS: Readonly<Record<string, string>> = {
  s3: "s3:host/bucket/path",
  b2: "b2:bucket:path",
  azure: "azure:container:/path, with AZURE_ACCOUNT_NAME in env",
  gs: "gs:bucket:/path",
  sftp: "sftp:user@host:/path",
  rclone: "rclone:remote:path",
};

type Make = (rest: string, settings: StorageSettings) => BackendSpec | undefined;

const SCHEMES: Readonly<Record<string, Make>> = { s3, b2, azure, gs, sftp, rclone };

function s3(rest: string, { values, keys }: StorageSettings): BackendSpec | undefined {
  const found = /^(https?:\/\/)?([^/]+)\/([^/]+)(?:\/(.*))?$/.exec(rest);
  if (!found) return undefined;
  const [, scheme = "https://", host = "", bucket = "", path = ""] = found;
  const region = values.AWS_DEFAULT_REGION ?? values.AWS_REGION;
  return {
    s3: {
      bucket,
      ...prefixOf(path),
      endpoint: scheme + host,
      ...(region ? { region } : {}),
      addressing: "Auto",
      auth: { keys },
    },
  };
}

function b2(rest: string, { keys }: StorageSettings): BackendSpec | undefined {
  const [bucket, path = ""] = rest.split(":", 2);
  return bucket ? { b2: { bucket, ...prefixOf(path), auth: { keys } } } : undefined;
}

function azure(rest: string, { values, keys }: StorageSettings): BackendSpec | undefined {
  const [container, path = ""] = rest.split(":", 2);
  const storageAccount = values.AZURE_ACCOUNT_NAME;
  if (!container || !storageAccount) return undefined;
  return { azure: { container, ...prefixOf(path), storageAccount, auth: { keys } } };
}

function gs(rest: string, { keys }: StorageSettings): BackendSpec | undefined {
  const [bucket, path = ""] = rest.split(":", 2);
  return bucket ? { gcs: { bucket, ...prefixOf(path), auth: { keys } } } : undefined;
}

function sftp(rest: string, { keys }: StorageSettings): BackendSpec | undefined {
  const found = /^(?:\/\/([^@/]+)@([^/:]+)(?::(\d+))?\/(.+)|([^@/]+)@([^/:]+):(.+))$/.exec(rest);
  if (!found) return undefined;
  const [, user, host, port, path, plainUser, plainHost, plainPath] = found;
  return {
    sftp: {
      username: user ?? plainUser ?? "",
      host: host ?? plainHost ?? "",
      port: Number(port ?? 22),
      path: path ?? plainPath ?? "",
      auth: { keys },
    },
  };
}

function rclone(rest: string, { keys }: StorageSettings): BackendSpec | undefined {
  return rest.includes(":") ? { rclone: { remotePath: rest, auth: { keys } } } : undefined;
}

function onVolume({ volume, at }: StorageSettings, path: string): Result<BackendSpec, Violation> {
  if (volume !== undefined) return ok({ filesystem: { pvc: { name: volume }, path } });
  return err({
    reason: "VolumeMissing",
    field: `${at}.volume`,
    what: `the repository ${path} is a path on no volume`,
    why: "movers have no disk of their own",
    fix: "Name the PVC that holds it in volume.claimName",
  });
}

function prefixOf(path: string): { readonly prefix?: string } {
  const prefix = path.replace(/^\/+|\/+$/g, "");
  return prefix ? { prefix } : {};
}

/** A URL may hold a password, and is not repeated whole. */
function wrong(at: string, url: string, fix: string): Violation {
  const scheme = url.split(":", 1)[0] ?? "";
  return {
    reason: "UrlUnsupported",
    field: `${at}.repository`,
    what: `the repository's URL, which begins with ${scheme.slice(0, 32)}, cannot be used`,
    why: "it names no storage that Holdfast reaches with restic",
    fix,
  };
}
