import { readFile } from "node:fs/promises";
import type { TlsIdentity } from "../../lib/https_server.ts";
import { messageOf } from "../../lib/result.ts";
import { isPair } from "./certificate_secret.ts";
import { CertificateError, type CertificateSource } from "./certificate_source.ts";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** In PEM: who vouches for the certificate. Default: whoever writes the files also tells the API server. */
  readonly authority?: string | undefined;
}

/**
 * A certificate and its key from files, such as a mounted Secret of cert-manager's, which tells the API server whom to
 * trust, by an annotation on the webhook configurations.
 */
export class FileCertificates implements CertificateSource {
  readonly #files: CertificateFiles;
  #current: TlsIdentity | undefined;

  constructor(files: CertificateFiles) {
    this.#files = files;
  }

  get identity(): TlsIdentity {
    if (!this.#current) throw new CertificateError("the webhook's certificates have not been read yet");
    return this.#current;
  }

  get caBundle(): string | undefined {
    return this.#files.authority;
  }

  async refresh(signal?: AbortSignal): Promise<void> {
    this.#current = await this.#read(signal);
  }

  /** The files may be exchanged between the two reads: a key of another certificate is never taken. */
  async #read(signal?: AbortSignal): Promise<TlsIdentity> {
    const { cert: certFile, key: keyFile } = this.#files;
    const options = { encoding: "utf8", ...(signal && { signal }) } as const;
    try {
      const [cert, key] = await Promise.all([readFile(certFile, options), readFile(keyFile, options)]);
      if (!isPair(cert, key)) throw new Error("the key belongs to another certificate");
      return { cert, key };
    } catch (cause) {
      signal?.throwIfAborted();
      throw new CertificateError(
        `cannot serve with ${certFile} and ${keyFile}: ${messageOf(cause)}; see that both are mounted and belong together`,
        { cause },
      );
    }
  }
}
