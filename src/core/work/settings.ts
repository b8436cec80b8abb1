import type { MoverAccount } from "./mover_accounts.ts";

/** What the program decides for all objects of this API. */
export interface Settings {
  /** The image of every mover, unless a repository names another. */
  readonly moverImage: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** Default: one of our own, without pull secrets. */
  readonly moverAccount?: MoverAccount;
  /** Requests of hooks may go to loopback and link-local addresses. Default false. */
  readonly hooksMayCallLocalAddresses?: boolean;
  /** Where the operator runs, and with it the movers of what has no namespace. Default `holdfast`. */
  readonly operatorNamespace?: string;
  /** Movers that there may be at once, on all repositories together. Default 100. */
  readonly maxRuns?: number;
  /** How long the figures of a backup or restore may stand still, in seconds. Default: a quarter of an hour. */
  readonly standstillSeconds?: number;
  /** Movers also log what their engines say. Default false. */
  readonly moverDebug?: boolean;
  /** A run may be lent Secrets of another namespace, which are read for that by name. Default false. */
  readonly lendSecrets?: boolean;
  /** What GitOps tools apply workloads from is paused while these are scaled down. Default: it is not. */
  readonly pauseGitOps?: PauseGitOps;
  /** Repositories that do not say whether they are to be created are, where there certainly is none. Default false. */
  readonly createRepositories?: boolean;
  /** The folder in which the kubelets of all nodes keep what belongs to pods. Default `/var/lib/kubelet/pods`. */
  readonly podsFolder?: string;
  /** Webhooks guard this API: consents that are written on objects were given, and not made up. Default false. */
  readonly guarded?: boolean;
  /** What is set for one API, by its name: only that API knows the shape. */
  readonly ofApis?: Readonly<Record<string, unknown>>;
}

export interface PauseGitOps {
  /** Where Argo CD keeps the Applications that name no other namespace. */
  readonly argoCdNamespace: string;
}

/** The namespace of the operator, with the default applied. */
export function operatorNamespaceOf({ operatorNamespace }: Partial<Settings>): string {
  return operatorNamespace ?? "holdfast";
}
