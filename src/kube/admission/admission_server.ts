import { backoff } from "../../lib/backoff.ts";
import { deadline, sleep } from "../../lib/clock.ts";
import type { Listen, RunningServer } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import type { Runnable } from "../controller/runnable.ts";
import { type AdmissionOptions, admission } from "./admission.ts";
import type { CertificateSource } from "./certificate_source.ts";

export interface AdmissionServerOptions extends AdmissionOptions {
  readonly listen: Listen;
  readonly random: Random;
  readonly host: string;
  readonly port: number;
  readonly certificates: CertificateSource;
  /** Called once the server listens and before it counts as ready: the place to install the configurations. */
  readonly install?: (server: {
    readonly port: number;
    readonly caBundle: string | undefined;
    readonly signal: AbortSignal;
  }) => Promise<void>;
  /** How often the certificates are looked at, in milliseconds. Default a minute. */
  readonly poll?: number;
  /**
   * How long requests are still taken after the signal to stop, in milliseconds: until every API server has heard
   * that this replica is going. Default 3 s.
   */
  readonly linger?: number;
}

/** An API request is at most 3 MiB; a review may hold the object twice, and escapes grow it. */
const MAX_REVIEW = 8 * 2 ** 20;

/** Beyond this the API server is told 503, which it treats as a webhook that is away. */
const MAX_REVIEWS_AT_ONCE = 32;

/** Webhooks take 30 s at most. */
const STOP_MS = 30_000;

/** Serves the webhooks over TLS, with certificates that are kept fresh. */
export class AdmissionServer implements Runnable {
  readonly name = "admission server";
  readonly #options: AdmissionServerOptions;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal, ready: () => void): Promise<void> {
    const { clock, linger = 3_000 } = this.#options;
    let server: RunningServer | undefined;
    try {
      await this.#firstCertificates(signal);
      server = await this.#listen();
      const { certificates, install } = this.#options;
      await install?.({ port: server.port, caBundle: certificates.caBundle, signal });
      ready();
      await this.#keepCertificates(server, signal);
    } catch (error) {
      if (!signal.aborted) {
        await server?.close(signal);
        throw error;
      }
    }
    if (!server) return;
    await sleep(clock, linger);
    using limit = deadline(clock, STOP_MS, "stopping the admission server");
    await server.close(limit.signal);
  }

  #listen(): Promise<RunningServer> {
    const { listen, host, port, certificates, log } = this.#options;
    return listen({
      host,
      port,
      tls: () => certificates.identity,
      handler: admission(this.#options),
      limits: { body: MAX_REVIEW, requests: MAX_REVIEWS_AT_ONCE },
      onError: (error) => log.error({ err: error }, "the admission server could not answer"),
    });
  }

  /** Tries until it has some: without a certificate there is nothing to serve. */
  async #firstCertificates(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let attempt = 1; !(await this.#refreshed(signal)); attempt++) {
      await sleep(clock, backoff(attempt, { base: 1_000, cap: 30_000 }, random), signal);
    }
  }

  async #keepCertificates(server: RunningServer, signal: AbortSignal): Promise<never> {
    const { certificates, clock, log, poll = 60_000 } = this.#options;
    let served = certificates.identity.cert;
    for (;;) {
      await sleep(clock, poll, signal);
      await this.#refreshed(signal);
      const { cert } = certificates.identity;
      if (cert === served) continue;
      server.reloadTls();
      served = cert;
      log.info({}, "serving the webhooks with a new certificate");
    }
  }

  /** A failure is only logged: what is served stays good for weeks. */
  async #refreshed(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.certificates.refresh(signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#options.log.warn({ err: error }, "could not refresh the webhook's certificates");
      return false;
    }
  }
}
