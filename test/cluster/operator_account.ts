import { readFileSync } from "node:fs";
import { ClusterRoles, Namespaces, ServiceAccounts } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { AuthorizedSender } from "../../src/kube/config/authorized_sender.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { GrantedRules, PolicyRule } from "../../src/kube/policy_rules.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import type { ClusterInfo } from "../../tools/cluster/info.ts";
import { serviceAccountToken } from "../../tools/cluster/token.ts";
import { eventually } from "./world.ts";

const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" } as const;
const Roles: Resource = { ...RBAC, kind: "Role", plural: "roles", namespaced: true };
const RoleBindings: Resource = { ...RBAC, kind: "RoleBinding", plural: "rolebindings", namespaced: true };
const ClusterRoleBindings: Resource = {
  ...RBAC,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
};
const AccessReviews: Resource<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

interface AccessReview extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean };
}

/** What somebody wants to do: `resource` may have a group and a subresource, as in `jobs.batch` and `pods/exec`. */
export interface Wish {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A service account of the cluster under test with an operator's rights, and no others. */
export class OperatorAccount implements AsyncDisposable {
  /** Speaks as the account. */
  readonly sender: HttpSender;
  readonly #client: Client;
  readonly #user: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(client: Client, user: string, sender: HttpSender, stack: AsyncDisposableStack) {
    this.#client = client;
    this.#user = user;
    this.sender = sender;
    this.#stack = stack;
  }

  /** `home`: where the operator is taken to run; made where it is missing. */
  static async make(
    client: Client,
    cluster: ClusterInfo,
    { rules, home }: { readonly rules: GrantedRules; readonly home: string },
  ): Promise<OperatorAccount> {
    const stack = new AsyncDisposableStack();
    const name = `operator-${random.hex(3)}`;
    const create = async (resource: Resource, object: object) => {
      const metadata = { name, ...(resource.namespaced ? { namespace: home } : {}) };
      await client.create(resource, { metadata, ...object } as Draft<KubeObject>);
      stack.defer(async () => void (await client.delete(resource, metadata)));
    };
    await client.apply(Namespaces, { metadata: { name: home } }, { fieldManager: "tests" });
    await create(ServiceAccounts, {});
    const subjects = [{ kind: "ServiceAccount", name, namespace: home }];
    const bound = (kind: string) => ({ roleRef: { apiGroup: RBAC.group, kind, name }, subjects });
    await create(ClusterRoles, { rules: rules.cluster });
    await create(ClusterRoleBindings, bound("ClusterRole"));
    await create(Roles, { rules: rules.home });
    await create(RoleBindings, bound("Role"));
    const token = await serviceAccountToken(cluster, {
      namespace: home,
      serviceAccount: name,
      seconds: 14_400,
    });
    const ca = readFileSync(cluster.ca, "utf8");
    const sender = new AuthorizedSender(
      fixedCredentials({ headers: { authorization: `Bearer ${token}` } }),
      () => new HttpsSender({ url: cluster.server, tls: { ca } }),
    );
    stack.defer(() => sender.close());
    const account = new OperatorAccount(client, `system:serviceaccount:${home}:${name}`, sender, stack);
    const last = {
      verb: "get",
      resource: "leases.coordination.k8s.io",
      namespace: home,
      name: "holdfast-operator",
    };
    await eventually("the rights of the operator hold", () => account.may(last));
    const [rule] = rules.cluster;
    // Roles and ClusterRoles become known each in its own time.
    if (rule) await eventually("its rights in the whole cluster hold", () => account.may(wishOf(rule)));
    return account;
  }

  /** Whether the API server would let the account do this. */
  async may({ verb, resource, namespace, name }: Wish): Promise<boolean> {
    const [whole = "", subresource] = resource.split("/");
    const [plural = "", ...group] = whole.split(".");
    const resourceAttributes = {
      verb,
      resource: plural,
      group: group.join("."),
      ...(subresource ? { subresource } : {}),
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
    };
    const groups = ["system:serviceaccounts", "system:authenticated"];
    const spec = { user: this.#user, groups, resourceAttributes };
    const { status } = await this.#client.create(AccessReviews, { metadata: { name: "" }, spec });
    return status?.allowed === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** The first thing that a rule of the whole cluster allows. */
function wishOf({
  apiGroups: [group],
  resources,
  resourceNames: [name] = [],
  verbs: [verb = "get"],
}: PolicyRule): Wish {
  const [plural = "", ...part] = (resources[0] ?? "").split("/");
  const resource = [group ? `${plural}.${group}` : plural, ...part].join("/");
  return { verb, resource, ...(name === undefined ? {} : { name }) };
}
