import { backoff } from "../../lib/backoff.ts";
import { deadline, sleep } from "../../lib/clock.ts";
import type { Listen, RunningServer } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import { isForbidden, isInvalid } from "../api_error.ts";
import type { ServerNames } from "../certificates/certificates.ts";
import type { Runnable } from "../runnable.ts";
import { type AdmissionOptions, admission } from "./admission.ts";
import { certificateProblem } from "./certificate_problem.ts";
import { CertificateError, type CertificateSource } from "./certificate_source.ts";

export interface AdmissionServerOptions extends AdmissionOptions {
  readonly listen: Listen;
  readonly random: Random;
  /** Default: every address. */
  readonly host?: string | undefined;
  readonly port: number;
  readonly certificates: CertificateSource;
  /** What the API server calls the server: a certificate that is not for these names is told of. */
  readonly names: ServerNames;
  /** Called before anything is served, and again while it fails: what the webhooks have to know before they judge. */
  readonly learn?: (signal: AbortSignal) => Promise<void>;
  /**
   * Called once the server listens and before it counts as ready: the place to install the configurations. Called again,
   * later and later, while it fails.
   */
  readonly install?: (server: {
    readonly port: number;
    readonly caBundle: string | undefined;
    readonly signal: AbortSignal;
  }) => Promise<void>;
  /** Whether what was installed is still there; where it is not, it is installed again. */
  readonly isInstalled?: (signal: AbortSignal) => Promise<boolean>;
  /** How often the certificates and the configurations are looked at, in milliseconds. Default a minute. */
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

const AGAIN = { base: 1_000, cap: 30_000 };

/**
 * Serves the webhooks over TLS, with certificates that are kept fresh. One that has no right to its certificates, or to
 * tell the API server of the webhooks, or none that can be used, lets the program go on without them meanwhile, and says
 * so.
 */
export class AdmissionServer implements Runnable {
  readonly name = "admission server";
  readonly #options: AdmissionServerOptions;
  #opened = false;
  #failure: string | undefined;
  #told: string | undefined;

  constructor(options: AdmissionServerOptions) {
    this.#options = options;
  }

  /** The API server has been told of the webhooks, and had not forgotten them when that was last looked at. */
  get opened(): boolean {
    return this.#opened;
  }

  /** What keeps the API server from calling the webhooks, as far as that can be seen from here. */
  get problem(): string | undefined {
    if (!this.#opened) return this.#failure;
    const { certificates, names, clock } = this.#options;
    const { cert } = certificates.identity;
    return certificateProblem({ cert, names, authority: certificates.caBundle, now: clock.now() });
  }

  async run(signal: AbortSignal, ready: () => void): Promise<void> {
    const { clock, linger = 3_000 } = this.#options;
    let server: RunningServer | undefined;
    try {
      await this.#insist("learn what the webhooks have to know", ready, signal, async () => {
        await this.#options.learn?.(signal);
      });
      await this.#insist("get the webhooks' certificates", ready, signal, () => this.#refresh(signal));
      server = await this.#listen();
      for (;;) {
        await this.#open(server, ready, signal);
        await this.#keep(server, signal);
        this.#opened = false;
        this.#failure = "the webhook configurations were not there any more";
        this.#tell();
      }
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
      ...(host === undefined ? {} : { host }),
      port,
      tls: () => certificates.identity,
      handler: admission(this.#options),
      limits: { body: MAX_REVIEW, requests: MAX_REVIEWS_AT_ONCE },
      onError: (error) => log.error({ err: error }, "the admission server could not answer"),
    });
  }

  async #open({ port }: RunningServer, ready: () => void, signal: AbortSignal): Promise<void> {
    await this.#insist("tell the API server of the webhooks", ready, signal, async () => {
      const { certificates, install } = this.#options;
      await install?.({ port, caBundle: certificates.caBundle, signal });
    });
    this.#opened = true;
    this.#tell();
    ready();
  }

  /** Tries until it is done. What only somebody else can mend does not hold the program up. */
  async #insist(
    what: string,
    ready: () => void,
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    const { clock, random, log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        this.#failure = `could not ${what}: ${messageOf(error)}`;
        log.warn({ error: messageOf(error) }, `could not ${what}; trying again`);
        if (isOthersToMend(error)) ready();
        await sleep(clock, backoff(attempt, AGAIN, random), signal);
      }
    }
  }

  /** Keeps the certificates fresh, until the configurations are gone. */
  async #keep(server: RunningServer, signal: AbortSignal): Promise<void> {
    const { certificates, clock, log, poll = 60_000 } = this.#options;
    let served = certificates.identity.cert;
    do {
      await sleep(clock, poll, signal);
      // A failure is only logged: what is served stays good for weeks.
      await this.#refresh(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        log.warn({ err: error }, "could not refresh the webhook's certificates");
      });
      const { cert } = certificates.identity;
      if (cert !== served) {
        server.reloadTls();
        served = cert;
        log.info({}, "serving the webhooks with a new certificate");
      }
      this.#tell();
    } while (await this.#isInstalled(signal));
  }

  /** Whoever may not look has to put them there again; whoever was not answered looks again later. */
  #isInstalled(signal: AbortSignal): Promise<boolean> {
    const { isInstalled = async () => true, log } = this.#options;
    return isInstalled(signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn({ error: messageOf(error) }, "could not look at the webhook configurations");
      return !isForbidden(error);
    });
  }

  #refresh(signal: AbortSignal): Promise<void> {
    return this.#options.certificates.refresh(signal);
  }

  #tell(): void {
    const { problem } = this;
    if (problem !== undefined && problem !== this.#told)
      this.#options.log.error({ problem }, "webhook server unhealthy");
    this.#told = problem;
  }
}

/** Who grants rights and who gives certificates is somebody else; an API server that is away comes back by itself. */
function isOthersToMend(error: unknown): boolean {
  return isForbidden(error) || isInvalid(error) || error instanceof CertificateError;
}
