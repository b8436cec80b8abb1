/** A request that a mover's pod sends for a hook, instead of any work on a repository. */
export interface HookRequest {
  readonly version: 1;
  readonly url: string;
  readonly method: string;
  readonly headers: readonly HookHeader[];
  readonly body?: string;
  /** Milliseconds that it may take. */
  readonly timeout: number;
  /** Loopback and link-local addresses may be called. */
  readonly allowLocal: boolean;
  /** Any certificate is accepted. */
  readonly insecure: boolean;
  /** The environment variable that holds the authorities to trust, in PEM. Default: the system's. */
  readonly caFrom?: string;
}

/** A value that is secret comes in a variable of its own: only the pod that sends it sees it. */
export type HookHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly valueFrom: string };

/** The environment variable that holds the request, as JSON. */
export const HOOK_REQUEST = "HOLDFAST_HOOK_REQUEST";
