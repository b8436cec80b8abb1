import { err, ok, type Result } from "../../lib/result.ts";
import type { BackendSpec, CredentialRef } from "./repository.ts";

/** A repository's storage as a URL, and what the URL leaves out. */
export interface UrlSettings {
  readonly url: string;
  /** Variables whose values are no secrets. */
  readonly values: Readonly<Record<string, string>>;
  readonly keys: readonly CredentialRef[];
  /** The PVC that a path is on. */
  readonly volume?: string | undefined;
}

/** Why a URL stands for no storage: of an unknown scheme, not in the form of its scheme, or a path without a volume. */
export type UrlProblem =
  | { readonly type: "Scheme"; readonly known: readonly string[] }
  | { readonly type: "Form"; readonly form: string }
  | { readonly type: "Volume" };

/** The storage that a URL stands for. */
export function backendOfUrl(settings: UrlSettings): Result<BackendSpec, UrlProblem> {
  const { url, volume } = settings;
  if (url.startsWith("/")) {
    return volume === undefined
      ? err({ type: "Volume" })
      : ok({ filesystem: { pvc: { name: volume }, path: url } });
  }
  const scheme = url.slice(0, url.indexOf(":"));
  const known = SCHEMES[scheme];
  if (!known) return err({ type: "Scheme", known: Object.keys(SCHEMES) });
  const made = known.make(url.slice(scheme.length + 1), settings);
  return made ? ok(made) : err({ type: "Form", form: known.form });
}

interface Scheme {
  readonly form: string;
  readonly make: (rest: string, settings: UrlSettings) => BackendSpec | undefined;
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  s3: { form: "s3:host/bucket/path", make: s3 },
  b2: { form: "b2:bucket:path", make: b2 },
  azure: { form: "azure:container:/path, with AZURE_ACCOUNT_NAME in env", make: azure },
  gs: { form: "gs:bucket:/path", make: gs },
  sftp: { form: "sftp:user@host:/path", make: sftp },
  rclone: { form: "rclone:remote:path", make: rclone },
};

function s3(rest: string, { values, keys }: UrlSettings): BackendSpec | undefined {
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

function b2(rest: string, { keys }: UrlSettings): BackendSpec | undefined {
  const [bucket, path = ""] = rest.split(":", 2);
  return bucket ? { b2: { bucket, ...prefixOf(path), auth: { keys } } } : undefined;
}

function azure(rest: string, { values, keys }: UrlSettings): BackendSpec | undefined {
  const [container, path = ""] = rest.split(":", 2);
  const storageAccount = values.AZURE_ACCOUNT_NAME;
  if (!container || !storageAccount) return undefined;
  return { azure: { container, ...prefixOf(path), storageAccount, auth: { keys } } };
}

function gs(rest: string, { keys }: UrlSettings): BackendSpec | undefined {
  const [bucket, path = ""] = rest.split(":", 2);
  return bucket ? { gcs: { bucket, ...prefixOf(path), auth: { keys } } } : undefined;
}

function sftp(rest: string, { keys }: UrlSettings): BackendSpec | undefined {
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

function rclone(rest: string, { keys }: UrlSettings): BackendSpec | undefined {
  return rest.includes(":") ? { rclone: { remotePath: rest, auth: { keys } } } : undefined;
}

function prefixOf(path: string): { readonly prefix?: string } {
  const prefix = path.replace(/^\/+|\/+$/g, "");
  return prefix ? { prefix } : {};
}
