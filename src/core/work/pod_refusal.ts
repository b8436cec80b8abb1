import type { WaitReason } from "./run_state.ts";

export interface Refusal {
  readonly reason: WaitReason;
  readonly remedy: string;
}

const REFUSALS: readonly (Refusal & { readonly words: RegExp })[] = [
  {
    words: /violates PodSecurity/,
    reason: "PodSecurityDenied",
    remedy:
      "Leave the mover's security context restricted, or allow more with the namespace's label pod-security.kubernetes.io/enforce.",
  },
  {
    words:
      /exceeded quota|failed quota|maximum (?:cpu|memory|ephemeral-storage) usage|minimum (?:cpu|memory)/i,
    reason: "QuotaExceeded",
    remedy: "Raise the namespace's quota or limits, or lower the mover's resources.",
  },
  {
    words: /admission webhook "[^"]*"|failed calling webhook/,
    reason: "WebhookDenied",
    remedy: "Meet the webhook's rule, or exempt the mover's pods from it.",
  },
  {
    words: /serviceaccount "[^"]*" not found|error looking up service account/,
    reason: "ServiceAccountMissing",
    remedy: "Create the service account in the mover's namespace, or name another one.",
  },
];

/** Who refused a pod, told from the API server's words; undefined for a refusal of another kind. */
export function refusalReason(said: string): Refusal | undefined {
  return REFUSALS.find(({ words }) => words.test(said));
}
