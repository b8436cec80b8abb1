import { ignoreGone, isAlreadyExists, isConflict, isForbidden } from "../../kube/api_error.ts";
import { type ServiceAccount, ServiceAccounts } from "../../kube/builtin.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import { explained } from "./refusals.ts";
import { MANAGED_BY } from "./run_labels.ts";
import type { RunRequest } from "./run_request.ts";

/** The movers' account, in every namespace in which they run. */
export const MOVER_ACCOUNT = "holdfast-mover";

/** Which account movers run under. None of them has a token. */
export type MoverAccount =
  /** One of this name, that somebody else has made in every namespace. */
  | { readonly type: "given"; readonly name: string }
  /** MOVER_ACCOUNT, made where it is missing. It pulls images with these Secrets of its namespace. */
  | { readonly type: "own"; readonly pullSecrets: readonly string[] };

export interface MoverAccountsOptions {
  readonly client: Pick<Client, "get" | "create" | "patch">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly account: MoverAccount;
}

/** For so long an account that was seen is taken to be there. */
const KNOWN_FOR = 60_000;

interface Known {
  readonly name: string | undefined;
  readonly until: number;
}

/** Sees to it that movers find their account in the namespace in which they are to run. */
export class MoverAccounts {
  readonly #options: MoverAccountsOptions;
  /** In the order in which they expire. */
  readonly #known = new Map<string, Known>();

  constructor(options: MoverAccountsOptions) {
    this.#options = options;
  }

  /** The account's name. Undefined: it cannot be had, and the namespace's default has to do. */
  async in(namespace: string, call: CallOptions = {}): Promise<string | undefined> {
    const { account, clock } = this.#options;
    if (account.type === "given") return account.name;
    const known = this.#lookUp(namespace);
    if (known) return known.name;
    const name = await this.#ensure(namespace, account.pullSecrets, call);
    this.#known.delete(namespace);
    this.#known.set(namespace, { name, until: clock.monotonic() + KNOWN_FOR });
    return name;
  }

  /** Like `in`, also where it was seen a moment ago: it goes with its namespace, which may be there again without it. */
  async again(namespace: string, call: CallOptions = {}): Promise<string | undefined> {
    this.#known.delete(namespace);
    return this.in(namespace, call);
  }

  #lookUp(namespace: string): Known | undefined {
    const now = this.#options.clock.monotonic();
    for (const [name, { until }] of this.#known) {
      if (until > now) break;
      this.#known.delete(name);
    }
    return this.#known.get(namespace);
  }

  async #ensure(
    namespace: string,
    pullSecrets: readonly string[],
    call: CallOptions,
  ): Promise<string | undefined> {
    const name = { namespace, name: MOVER_ACCOUNT };
    try {
      const present = await this.#options.client.get(ServiceAccounts, name, call).catch(ignoreGone);
      await (present ? this.#complete(present, pullSecrets, call) : this.#create(name, pullSecrets, call));
      return MOVER_ACCOUNT;
    } catch (error) {
      if (!isForbidden(error)) throw explained(error, `ServiceAccount ${keyOf(name)}`);
      // A backup is worth more than the account that it is made under.
      this.#options.log.warn(
        { ...name, error: messageOf(error) },
        "the movers' ServiceAccount may not be read or made: they run under the namespace's default one, and pull images with what that has",
      );
      return undefined;
    }
  }

  async #create(
    metadata: { readonly namespace: string; readonly name: string },
    pullSecrets: readonly string[],
    call: CallOptions,
  ): Promise<void> {
    const draft = {
      metadata: { ...metadata, labels: MANAGED_BY },
      automountServiceAccountToken: false,
      ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets.map((name) => ({ name })) } : {}),
    };
    await this.#options.client.create(ServiceAccounts, draft, call).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  /** What others have added to it stays, and one that others have made is left as it is. */
  async #complete(account: ServiceAccount, pullSecrets: readonly string[], call: CallOptions): Promise<void> {
    const { labels, resourceVersion } = account.metadata;
    const isOurs = Object.entries(MANAGED_BY).every(([label, value]) => labels?.[label] === value);
    const { imagePullSecrets = [] } = account;
    const missing = pullSecrets.filter((name) => !imagePullSecrets.some((one) => one.name === name));
    if (!isOurs || missing.length === 0) return;
    const all = [...imagePullSecrets, ...missing.map((name) => ({ name }))];
    const patch = { metadata: { resourceVersion }, imagePullSecrets: all };
    await this.#options.client
      .patch(ServiceAccounts, account.metadata, { type: "merge", patch }, call)
      .catch((error: unknown) => {
        // Somebody else was quicker, mostly another run of ours. It is looked at again soon.
        if (!isConflict(error)) throw error;
      });
  }
}

/** The request, under the account of its namespace's movers unless it names another. */
export async function underAccount(
  request: RunRequest,
  accounts: Pick<MoverAccounts, "in"> | undefined,
  call: CallOptions,
): Promise<RunRequest> {
  const { mover, namespace } = request;
  const serviceAccountName = mover.serviceAccountName ?? (await accounts?.in(namespace, call));
  return serviceAccountName === undefined ? request : { ...request, mover: { ...mover, serviceAccountName } };
}
