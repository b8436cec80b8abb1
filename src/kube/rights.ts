import type { Resource } from "./resource.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** What has to be so for a right to be needed. Several of them: all. */
export type Condition =
  /** The operator looks at all namespaces. */
  | "cluster"
  /** The operator looks at its own namespace alone. */
  | "namespaced"
  /** What has no namespace may be read; always so where all namespaces are looked at. */
  | "clusterReads"
  /** Credentials are lent across namespaces. */
  | "lending"
  /** What GitOps tools apply workloads from is paused while these are scaled down. */
  | "pausingGitOps"
  | "webhooks"
  /** The operator makes the certificates of its webhooks itself. */
  | "ownCertificates"
  /** The operator makes the accounts of its movers itself. */
  | "ownAccounts"
  /** Labels of PVCs become objects of VolSync. */
  | "volsync"
  /** CRDs that somebody else installed are worked with. */
  | "adopting"
  /** The CRDs go with the release. */
  | "removingCrds";

/** Stands for the operator's namespace in the names of a right. */
export const OWN_NAMESPACE = "{namespace}";

/** Something that code here asks of the API server, declared beside that code. Roles are generated from these. */
export interface Right {
  readonly resource: Pick<Resource, "group" | "plural" | "namespaced">;
  readonly subresource?: string;
  readonly verbs: readonly Verb[];
  /** Only objects of these names, which may contain OWN_NAMESPACE. Default: all. */
  readonly names?: readonly string[];
  /** Only in the operator's namespace. Default: in every namespace that is looked at. */
  readonly home?: true;
  readonly when?: readonly Condition[];
  /** What it is needed for, as a part of a sentence. */
  readonly why: string;
  /** Verbs that the whole of the tests does not ask for, and why they are needed all the same. Default: none. */
  readonly unseen?: { readonly [verb in Verb]?: string };
}

/** For what is watched: whether it is listed first depends on the API server, and those under test stream their lists. */
export const LISTED_WHERE_NOT_STREAMED: NonNullable<Right["unseen"]> = {
  list: "an API server without streaming lists is listed before it is watched",
};
