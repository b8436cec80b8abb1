import type { Backend, Tls } from "../wire/backend.ts";

/** The backend, with certificate authorities that came in a Secret. They count before those of the work spec. */
export function trusting(backend: Backend, ca: string | undefined): Backend {
  if (ca === undefined) return backend;
  const tls = (given: Tls | undefined): Tls => ({ ...given, ca });
  if ("s3" in backend) return { s3: { ...backend.s3, tls: tls(backend.s3.tls) } };
  if ("azure" in backend) return { azure: { ...backend.azure, tls: tls(backend.azure.tls) } };
  if ("webdav" in backend) return { webdav: { ...backend.webdav, tls: tls(backend.webdav.tls) } };
  return backend;
}
