import type { Right } from "../../../kube/rights.ts";
import { GITOPS_KINDS } from "./gitops_kinds.ts";

const NOT_THERE = "the clusters under test have neither Argo CD nor Flux";

/** What it takes to tell GitOps tools to pause. What Flux applies by a Kustomization is told so by its own annotation. */
export const GITOPS_RIGHTS: readonly Right[] = GITOPS_KINDS.map((resource) => ({
  resource,
  verbs: ["get", "patch"],
  when: ["pausingGitOps"],
  why: "what would scale a workload up again is paused while its volume is restored in place",
  unseen: { get: NOT_THERE, patch: NOT_THERE },
}));
