import fc from "fast-check";
import { expect, test } from "vitest";
import { Jobs, Leases, Nodes, Pods, Secrets } from "./builtin.ts";
import { conditionalRules, type GrantedRules, grantedRules, type Install } from "./policy_rules.ts";
import { type Condition, OWN_NAMESPACE, type Right, type Verb } from "./rights.ts";

const INSTALL: Install = {
  scope: "cluster",
  namespace: "home",
  clusterReads: false,
  lending: false,
  pausingGitOps: false,
  webhooks: false,
  ownCertificates: false,
  ownAccounts: false,
  volsync: false,
  adopting: false,
  removingCrds: false,
};
const why = "a test wants it";

function granted(rights: readonly Right[], install: Partial<Install> = {}): GrantedRules {
  return grantedRules(conditionalRules(rights), { ...INSTALL, ...install });
}

test("conditionalRules() puts verbs of one kind together, and kinds with the same verbs", () => {
  const rights: readonly Right[] = [
    { resource: Pods, verbs: ["watch", "list"], why },
    { resource: Pods, verbs: ["get", "list"], why },
    { resource: Secrets, verbs: ["get", "list", "watch"], why },
    { resource: Pods, subresource: "log", verbs: ["get"], why },
  ];
  expect(granted(rights).cluster).toEqual([
    { apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  ]);
});

test("conditionalRules() leaves out what holds without the condition, too", () => {
  const rights: readonly Right[] = [
    { resource: Nodes, verbs: ["get"], when: ["clusterReads"], why },
    { resource: Nodes, verbs: ["get", "list"], when: ["cluster"], why },
  ];
  expect(conditionalRules(rights).map(({ verbs, when }) => ({ verbs, when }))).toEqual([
    { verbs: ["list"], when: ["cluster"] },
    { verbs: ["get"], when: ["clusterReads"] },
  ]);
});

test("grantedRules() keeps what is for the operator's namespace, and for its own names, to these", () => {
  const rights: readonly Right[] = [
    { resource: Leases, home: true, verbs: ["get"], names: [`lease-of-${OWN_NAMESPACE}`], why },
    { resource: Jobs, verbs: ["get"], why },
  ];
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get"] };
  const named = { ...lease, resourceNames: ["lease-of-home"] };
  const jobs = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] };
  expect(granted(rights)).toEqual({ cluster: [jobs], home: [named] });
  expect(granted(rights, { scope: "namespaced" })).toEqual({ cluster: [], home: [named, jobs] });
});

const verbs = fc.subarray<Verb>(["get", "list", "create", "delete"], { minLength: 1 });
const when = fc.subarray<Condition>(["cluster", "namespaced", "clusterReads", "lending"]);
const right: fc.Arbitrary<Right> = fc.record({
  resource: fc.constantFrom(Pods, Nodes, Secrets),
  verbs,
  when,
  why: fc.constant(why),
});
const anyInstall = fc.record({
  scope: fc.constantFrom("cluster" as const, "namespaced" as const),
  clusterReads: fc.boolean(),
  lending: fc.boolean(),
});

test("grantedRules() grants exactly what the rights say, however they are put together", () => {
  fc.assert(
    fc.property(fc.array(right, { maxLength: 8 }), anyInstall, (rights, install) => {
      const apart = rights.map((one) => granted([one], install));
      const whole = granted(rights, install);
      for (const place of ["cluster", "home"] as const) {
        expect(pairs(whole[place])).toEqual(pairs(apart.flatMap((rules) => rules[place])));
      }
    }),
  );
});

function pairs(rules: GrantedRules["cluster"]): readonly string[] {
  const all = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  return [...new Set(all)].toSorted();
}
