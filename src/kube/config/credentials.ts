/** What a request shows of itself. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  /** A client certificate and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/** Where a client's identity comes from. Some expire: they are asked for before every request. */
export interface Credentials {
  current(signal?: AbortSignal): Promise<Identity>;
  /** The server refused `refused`. Resolves to another identity to try, if there is one. */
  renew(refused: Identity, signal?: AbortSignal): Promise<Identity | undefined>;
  /** Nobody asks any more: ends what is still under way. */
  close?(): void;
}

/** An identity that never changes. */
export function fixedCredentials(identity: Identity): Credentials {
  return { current: async () => identity, renew: async () => undefined };
}
