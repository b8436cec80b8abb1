import { expect, test } from "vitest";
import { conditionalRules, grantedRules, type Install } from "../../kube/policy_rules.ts";
import { PLUMBER_RIGHTS } from "./plumber_rights.ts";
import { writesVolsync } from "./settings.ts";

const INSTALL: Omit<Install, "volsync"> = {
  scope: "cluster",
  namespace: "holdfast",
  clusterReads: true,
  lending: false,
  pausingGitOps: false,
  webhooks: true,
  ownCertificates: true,
  ownAccounts: true,
  adopting: false,
  removingCrds: false,
};

test.each([
  { plumber: undefined, verbs: ["list", "watch"] },
  { plumber: { output: "native" }, verbs: ["list", "watch"] },
  { plumber: { output: "volsync" }, verbs: ["create", "delete", "list", "patch", "watch"] },
])("VolSync's objects may be changed only where they are written: $plumber", ({ plumber, verbs }) => {
  const install = { ...INSTALL, volsync: writesVolsync({ plumber }) };
  const { cluster, home } = grantedRules(conditionalRules(PLUMBER_RIGHTS), install);
  const found = [...cluster, ...home].filter(({ apiGroups }) => apiGroups.includes("volsync.backube"));
  expect([...new Set(found.flatMap((rule) => rule.verbs))].sort()).toEqual(verbs);
});
