import type { Clock } from "../../lib/clock.ts";
import type { TlsIdentity } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../api_error.ts";
import { type Secret, Secrets } from "../builtin.ts";
import type { ServerNames } from "../certificates/certificates.ts";
import type { Reader, Writer } from "../client.ts";
import { allTrust, type Found, findConfigurations, writeCaBundle } from "./ca_bundle.ts";
import {
  decideRotation,
  type OwnCertificates,
  ROTATION_POLICY,
  type RotationPolicy,
  rotate,
  trustedAuthorities,
} from "./certificate_rotation.ts";
import { certificateData, readCertificates } from "./certificate_secret.ts";
import { CertificateError, type CertificateSource } from "./certificate_source.ts";

export interface SecretCertificatesOptions {
  readonly client: Pick<Reader, "get"> & Pick<Writer, "create" | "update">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Where the certificates are kept, for all replicas. Read by name, never listed. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** What the API server calls the webhook server. */
  readonly names: ServerNames;
  /** The webhook configurations that are told whom to trust. */
  readonly configurations: readonly string[];
  readonly policy?: Partial<RotationPolicy>;
}

type Call = { readonly signal?: AbortSignal };

/** How often a replica tries again after another one was faster; each time it finds that one's work done. */
const ATTEMPTS = 5;

/**
 * Certificates made here and shared through a Secret. Every replica refreshes on its own: whoever writes first has
 * made them, the others read. A Secret that is lost or broken is written again from memory; to begin anew, delete it
 * and restart all replicas.
 */
export class SecretCertificates implements CertificateSource {
  readonly #options: SecretCertificatesOptions;
  readonly #policy: RotationPolicy;
  #current: OwnCertificates | undefined;

  constructor(options: SecretCertificatesOptions) {
    this.#options = options;
    this.#policy = { ...ROTATION_POLICY, ...options.policy };
  }

  get identity(): TlsIdentity {
    return this.#held.leaf;
  }

  get caBundle(): string {
    return trustedAuthorities(this.#held, this.#options.clock.now()).join("");
  }

  async refresh(signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#synchronize(signal ? { signal } : {});
      } catch (cause) {
        if (!isOvertaken(cause)) throw cause;
        if (attempt === ATTEMPTS) throw this.#failure(cause);
      }
    }
  }

  #failure(cause: unknown): CertificateError {
    const { secret, configurations } = this.#options;
    return new CertificateError(
      `the certificates in the Secret ${secret.namespace}/${secret.name} and in the webhook configurations ` +
        `${configurations.join(", ")} could not be brought up to date: ${messageOf(cause)}; see who else writes them, and that the namespace exists`,
      { cause },
    );
  }

  get #held(): OwnCertificates {
    if (!this.#current) throw new CertificateError("the webhook's certificates have not been read yet");
    return this.#current;
  }

  /**
   * Rejects when another writer was faster. The configurations are read before the Secret and written after it: if
   * they still are what was read, nobody has published a bundle that is newer than the Secret's.
   */
  async #synchronize(call: Call): Promise<void> {
    const { client, clock, log, names, configurations } = this.#options;
    const found: Found[] = [];
    for (const name of configurations) found.push(...(await findConfigurations(client, name, call)));
    const secret = await this.#readSecret(call);
    const stored = secret && this.#certificatesIn(secret);
    const current = stored ?? this.#current;
    const now = clock.now();
    const published = current !== undefined && allTrust(found, current.authorities[0] ?? "");
    const rotation = decideRotation({ now, current, names, published, policy: this.#policy });
    let next = current;
    if (rotation.kind !== "keep") {
      const { random } = this.#options;
      next = rotate(rotation, current, {
        now,
        names,
        random,
        policy: this.#policy,
        authorityName: "holdfast",
      });
      log.info({ rotation: rotation.kind, reason: rotation.reason }, "renewing the webhook's certificates");
    }
    if (next && next !== stored) await this.#writeSecret(secret, next, call);
    this.#current = next;
    await writeCaBundle(client, found, this.caBundle, call);
  }

  async #readSecret(call: Call): Promise<Secret | undefined> {
    try {
      return await this.#options.client.get(Secrets, this.#options.secret, call);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #certificatesIn(secret: Secret): OwnCertificates | undefined {
    const read = readCertificates(secret);
    if (read.ok) return read.value;
    const { namespace, name } = this.#options.secret;
    this.#options.log.warn(
      { namespace, name, reason: read.error },
      "the Secret holds no usable certificates",
    );
    return undefined;
  }

  async #writeSecret(secret: Secret | undefined, certificates: OwnCertificates, call: Call): Promise<void> {
    const { client, secret: metadata } = this.#options;
    const data = certificateData(certificates);
    if (secret) await client.update(Secrets, { ...secret, data: { ...secret.data, ...data } }, call);
    else await client.create(Secrets, { metadata, type: "Opaque", data }, call);
  }
}

/** Somebody else has created, changed or deleted what was about to be written. */
function isOvertaken(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error);
}
