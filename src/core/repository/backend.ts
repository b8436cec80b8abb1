import { posix } from "node:path";
import { unreachable } from "../../lib/result.ts";
import type { Backend, Tls } from "../../wire/backend.ts";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import type { BackendSpec } from "./repository.ts";

/** How a server's certificate is checked, as the object says it. */
interface TlsSettings {
  readonly insecureSkipVerify: boolean;
}

/** The storage as a mover understands it. `ca` is the text of the certificate authorities, where the object names some. */
export function backendOf(storage: BackendSpec, ca?: string): Backend {
  if (storage.s3) {
    const { auth: _, tls, ...s3 } = storage.s3;
    return { s3: { ...s3, ...tlsOf(tls, ca) } };
  }
  if (storage.azure) {
    const { auth: _, tls, storageAccount: account, ...azure } = storage.azure;
    return { azure: { ...azure, account, ...tlsOf(tls, ca) } };
  }
  if (storage.gcs) {
    // No engine needs the project of a bucket that is there, and none may create one.
    const { auth: _auth, projectId: _project, ...gcs } = storage.gcs;
    return { gcs };
  }
  if (storage.b2) {
    const { auth: _, ...b2 } = storage.b2;
    return { b2 };
  }
  if (storage.filesystem) {
    return { filesystem: { path: posix.join(POD_LAYOUT.repository, storage.filesystem.path) } };
  }
  if (storage.sftp) {
    const { auth: _, username: user, ...sftp } = storage.sftp;
    return { sftp: { ...sftp, user } };
  }
  if (storage.webDav) return { webdav: { url: storage.webDav.url, ...tlsOf(storage.webDav.tls, ca) } };
  if (storage.rclone) return { rclone: { remote: storage.rclone.remotePath } };
  return unreachable(storage);
}

function tlsOf(settings: TlsSettings | undefined, ca: string | undefined): { readonly tls?: Tls } {
  if (settings === undefined) return {};
  const { insecureSkipVerify } = settings;
  return { tls: { insecureSkipVerify, ...(ca === undefined ? {} : { ca }) } };
}
