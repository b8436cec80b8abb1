import { readFileSync } from "node:fs";
import { ClusterRoles, Namespaces, ServiceAccounts } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Client } from "../../src/kube/client.ts";
import { AuthorizedSender } from "../../src/kube/config/authorized_sender.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { PolicyRule } from "../../src/kube/policy_rules.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import type { ClusterInfo } from "../../tools/cluster/info.ts";
import { serviceAccountToken } from "../../tools/cluster/token.ts";
import type { Account, AccountRights, Credentials } from "../scenarios/account.ts";
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

interface ClusterAccountParts extends Account {
  readonly admin: Client;
  readonly user: string;
  readonly sender: HttpSender;
}

/** A service account of the cluster under test with rights of its own, and no others. */
export class ClusterAccount implements Account {
  readonly client: HttpClient;
  readonly credentials: Credentials;
  /** Speaks as the account. */
  readonly sender: HttpSender;
  /** Its name, as the API server knows it. */
  readonly user: string;
  readonly #parts: ClusterAccountParts;

  private constructor(parts: ClusterAccountParts) {
    this.#parts = parts;
    this.client = parts.client;
    this.credentials = parts.credentials;
    this.sender = parts.sender;
    this.user = parts.user;
  }

  /** `home` is made where it is missing. */
  static async make(
    admin: Client,
    cluster: ClusterInfo,
    { rules, home }: AccountRights,
  ): Promise<ClusterAccount> {
    await using stack = new AsyncDisposableStack();
    const name = `account-${random.hex(3)}`;
    const create = async (resource: Resource, object: object) => {
      const metadata = { name, ...(resource.namespaced ? { namespace: home } : {}) };
      await admin.create(resource, { metadata, ...object } as Draft<KubeObject>);
      stack.defer(async () => void (await admin.delete(resource, metadata)));
    };
    await admin.apply(Namespaces, { metadata: { name: home } }, { fieldManager: "tests" });
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
    const { server } = cluster;
    const sender = new AuthorizedSender(
      fixedCredentials({ headers: { authorization: `Bearer ${token}` } }),
      () => new HttpsSender({ url: server, tls: { ca } }),
    );
    stack.defer(() => sender.close());
    const client = new HttpClient({ clock, random, sender, userAgent: "account" });
    const kept = stack.move();
    const account = new ClusterAccount({
      admin,
      client,
      sender,
      user: `system:serviceaccount:${home}:${name}`,
      credentials: { server, ca, token },
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    });
    // Roles and ClusterRoles become known each in its own time.
    for (const rule of [rules.cluster[0], rules.home[0]]) {
      if (!rule) continue;
      const wish = { ...wishOf(rule), ...(rule === rules.home[0] ? { namespace: home } : {}) };
      await eventually("the rights of the account hold", () => account.may(wish));
    }
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
    const spec = { user: this.user, groups, resourceAttributes };
    const { status } = await this.#parts.admin.create(AccessReviews, { metadata: { name: "" }, spec });
    return status?.allowed === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]();
  }
}

/** The first thing that a rule allows. */
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
