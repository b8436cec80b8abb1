import { writesVolsync } from "../apis/plumber/settings.ts";
import { type GrantedRules, grantedRules } from "../kube/policy_rules.ts";
import { operatorRules } from "./operator_rights.ts";
import { operatorSettings } from "./operator_settings.ts";

/** What an operator has to be allowed that runs in this namespace with this environment. */
export function cliOperatorRules(env: Readonly<Record<string, string>>, namespace: string): GrantedRules {
  const { apis, shared, webhook, namespace: only, adopt } = operatorSettings(env, "");
  return grantedRules(operatorRules(apis), {
    scope: only === undefined ? "cluster" : "namespaced",
    namespace,
    // An operator of one namespace is told by no setting whether it may: it does without.
    clusterReads: false,
    lending: shared.lendSecrets ?? false,
    pausingGitOps: shared.pauseGitOps !== undefined,
    webhooks: webhook !== undefined,
    ownCertificates: webhook !== undefined && webhook.certificateFolder === undefined,
    ownAccounts: shared.moverAccount?.type !== "given",
    volsync: writesVolsync(shared.ofApis),
    adopting: adopt !== undefined,
    removingCrds: false,
  });
}
