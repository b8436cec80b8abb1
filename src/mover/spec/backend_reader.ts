import type {
  AzureBackend,
  B2Backend,
  Backend,
  FilesystemBackend,
  GcsBackend,
  RcloneBackend,
  S3Backend,
  SftpBackend,
  Tls,
  WebdavBackend,
} from "../../wire/backend.ts";
import { absolutePath, anyText, flag, object, oneOf, optional, tagged, text, whole } from "./reader.ts";

const tls = optional(object<Tls>({ ca: optional(text), insecureSkipVerify: optional(flag) }));
const prefix = optional(anyText);

/** Reads where a repository lives. */
export const backend = tagged<Backend>({
  filesystem: object<FilesystemBackend>({ path: absolutePath }),
  s3: object<S3Backend>({
    bucket: text,
    prefix,
    endpoint: optional(text),
    region: optional(text),
    addressing: optional(oneOf("Auto", "Path", "Host")),
    profile: optional(text),
    tls,
  }),
  azure: object<AzureBackend>({
    container: text,
    prefix,
    account: text,
    keyName: optional(text),
    endpoint: optional(text),
    tls,
  }),
  gcs: object<GcsBackend>({ bucket: text, prefix, endpoint: optional(text) }),
  b2: object<B2Backend>({ bucket: text, prefix }),
  sftp: object<SftpBackend>({ host: text, port: optional(whole(1, 65_535)), user: text, path: text }),
  webdav: object<WebdavBackend>({ url: text, tls }),
  rclone: object<RcloneBackend>({ remote: text }),
});
