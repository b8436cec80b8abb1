import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Jobs, Pods } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import { accessName } from "../../src/kube/client/request_access.ts";
import { RightsWatch } from "../../src/kube/client/rights_watch.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { grantedRules, type Install } from "../../src/kube/policy_rules.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { APIS } from "../../src/main/apis.ts";
import { operatorRules } from "../../src/main/operator_rights.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { ClusterAccount, type Wish } from "./cluster_account.ts";
import { testKubeconfig } from "./world.ts";

/* What the generated rights do not allow, in the words of a real API server. */

const HOME = "holdfast-rights";
const WIDE: Install = {
  scope: "cluster",
  namespace: HOME,
  clusterReads: true,
  lending: false,
  pausingGitOps: false,
  webhooks: true,
  ownCertificates: true,
  ownAccounts: true,
  volsync: false,
  adopting: false,
  removingCrds: false,
};

/** Whatever the values are. */
const NEVER: readonly Wish[] = [
  { verb: "list", resource: "secrets", namespace: HOME },
  { verb: "watch", resource: "secrets", namespace: HOME },
  { verb: "list", resource: "secrets" },
  { verb: "watch", resource: "secrets" },
  { verb: "delete", resource: "secrets", namespace: "default" },
  { verb: "update", resource: "secrets", namespace: "default" },
  { verb: "impersonate", resource: "users" },
  { verb: "impersonate", resource: "groups" },
  { verb: "impersonate", resource: "serviceaccounts", namespace: "kube-system" },
  { verb: "escalate", resource: "clusterroles.rbac.authorization.k8s.io" },
  { verb: "bind", resource: "clusterroles.rbac.authorization.k8s.io", name: "cluster-admin" },
  { verb: "create", resource: "clusterrolebindings.rbac.authorization.k8s.io" },
  { verb: "create", resource: "rolebindings.rbac.authorization.k8s.io", namespace: HOME },
  { verb: "patch", resource: "roles.rbac.authorization.k8s.io", namespace: HOME },
  { verb: "create", resource: "serviceaccounts/token", namespace: HOME },
  { verb: "patch", resource: "serviceaccounts", namespace: "default", name: "default" },
  { verb: "list", resource: "serviceaccounts", namespace: HOME },
  { verb: "delete", resource: "serviceaccounts", namespace: HOME, name: "holdfast-mover" },
  { verb: "create", resource: "certificatesigningrequests.certificates.k8s.io" },
  { verb: "create", resource: "pods", namespace: "kube-system" },
  { verb: "create", resource: "deployments.apps", namespace: "kube-system" },
  { verb: "create", resource: "daemonsets.apps", namespace: "kube-system" },
  { verb: "delete", resource: "namespaces" },
  { verb: "patch", resource: "namespaces" },
  { verb: "patch", resource: "nodes" },
  { verb: "get", resource: "nodes/proxy" },
  { verb: "delete", resource: "persistentvolumes" },
  { verb: "patch", resource: "customresourcedefinitions.apiextensions.k8s.io" },
  { verb: "delete", resource: "customresourcedefinitions.apiextensions.k8s.io" },
  { verb: "patch", resource: "validatingwebhookconfigurations.admissionregistration.k8s.io", name: "other" },
  { verb: "create", resource: "mutatingwebhookconfigurations.admissionregistration.k8s.io", name: "other" },
];

const ELSEWHERE: readonly Wish[] = [
  { verb: "create", resource: "jobs.batch", namespace: "kube-system" },
  { verb: "create", resource: "secrets", namespace: "kube-system" },
  { verb: "create", resource: "serviceaccounts", namespace: "default" },
  { verb: "create", resource: "persistentvolumeclaims", namespace: "default" },
  { verb: "create", resource: "pods/exec", namespace: "default" },
  { verb: "get", resource: "configmaps", namespace: "default" },
  { verb: "list", resource: "backups.kopiur.home-operations.com", namespace: "default" },
  { verb: "list", resource: "backups.kopiur.home-operations.com" },
  { verb: "list", resource: "namespaces" },
  { verb: "get", resource: "persistentvolumes" },
  { verb: "patch", resource: "persistentvolumes" },
];

const OTHERS_SECRETS: readonly Wish[] = [
  { verb: "get", resource: "secrets", namespace: "kube-system", name: "a" },
  { verb: "get", resource: "secrets", namespace: HOME, name: "a" },
];

let client: HttpClient;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  const { sender } = await connect({ clock, processes, env: process.env, kubeconfig: testKubeconfig() });
  stack.defer(() => sender.close());
  client = new HttpClient({ clock, random, sender, userAgent: "tests" });
});
afterAll(() => stack.disposeAsync());

async function allowed(install: Install, wishes: readonly Wish[]): Promise<readonly Wish[]> {
  const cluster = readInfo(clusterFolder(process.env.HOLDFAST_TEST_CLUSTER ?? ""));
  // An operator of one namespace does not serve the others, and the chart does not install it with them.
  const served = APIS.filter(({ wholeCluster }) => install.scope === "cluster" || !wholeCluster);
  const rules = grantedRules(operatorRules(served), install);
  await using account = await ClusterAccount.make(client, cluster, { rules, home: HOME });
  const answers = await Promise.all(wishes.map(async (wish) => ((await account.may(wish)) ? [wish] : [])));
  return answers.flat();
}

describe("the operator of a whole cluster", () => {
  test("may read no Secret but its own, and may not gain rights", async () => {
    expect(await allowed(WIDE, [...NEVER, ...OTHERS_SECRETS])).toEqual([]);
    const own = { verb: "get", resource: "secrets", namespace: HOME, name: "holdfast-webhooks" };
    expect(await allowed(WIDE, [own])).toEqual([own]);
  });

  test("may get Secrets by name once it lends, and still list none", async () => {
    expect(await allowed({ ...WIDE, lending: true }, [...NEVER, ...OTHERS_SECRETS])).toEqual(OTHERS_SECRETS);
  });
});

test("the operator of one namespace may do nothing in another", async () => {
  const narrow: Install = { ...WIDE, scope: "namespaced", clusterReads: true };
  expect(await allowed(narrow, [...NEVER, ...OTHERS_SECRETS, ...ELSEWHERE])).toEqual([]);
});

test("what an account lacks is named from the API server's own words", async () => {
  const cluster = readInfo(clusterFolder(process.env.HOLDFAST_TEST_CLUSTER ?? ""));
  const { home } = grantedRules(operatorRules(APIS), WIDE);
  await using account = await ClusterAccount.make(client, cluster, {
    rules: { cluster: [], home },
    home: HOME,
  });
  const watch = new RightsWatch(account.sender, { clock, log });
  const limited = new HttpClient({ clock, random, sender: watch });
  const pods = new PodClient({ clock, random, sender: watch });
  const { signal } = new AbortController();
  const pod = { namespace: HOME, name: "a" };
  const patch = { type: "merge", patch: { status: {} } } as const;
  await expect(limited.list(Pods, { namespace: HOME })).rejects.toThrow(/forbidden/);
  await expect(limited.list(Jobs)).rejects.toThrow(/forbidden/);
  await expect(limited.patch(Jobs, pod, patch, { subresource: "status" })).rejects.toThrow(/forbidden/);
  await expect(pods.exec(pod, { command: ["true"], signal })).rejects.toThrow(/forbidden/);
  expect(watch.missing.map((one) => [accessName(one), one.namespaces])).toEqual([
    [expect.stringMatching(/^(get|create) pods\/exec$/), [HOME]],
    ["list jobs.batch", []],
    ["list pods", [HOME]],
    ["patch jobs.batch/status", [HOME]],
  ]);
});
