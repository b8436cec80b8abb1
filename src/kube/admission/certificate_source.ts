import type { TlsIdentity } from "../../lib/https_server.ts";

/** Where the admission server's certificate comes from. */
export interface CertificateSource {
  /** Brings the identity up to date. May have changed it also when it rejects. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** What to serve. Throws before the first refresh that succeeded. */
  readonly identity: TlsIdentity;
  /** What the API server is to trust, in PEM; undefined when somebody else tells it. */
  readonly caBundle: string | undefined;
}

/** There is no certificate to serve with. */
export class CertificateError extends Error {
  override name = "CertificateError";
}
