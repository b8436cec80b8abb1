import { expect, test } from "vitest";
import { sampleBackup } from "../../src/apis/cozystack/testing/samples.ts";
import { backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { planResource } from "../../src/kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { ClusterRoles, Namespaces } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { rendered } from "../machine/rendered_chart.ts";
import type { Account } from "../scenarios/account.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { cozystackPlans } from "../scenarios/cozystack.ts";
import { exampleRules } from "../scenarios/cozystack_roles.ts";
import { CozystackStage, DATABASE } from "../scenarios/cozystack_stage.ts";

const RoleBindings: Resource = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
};

cozystackPlans(clusterWorld, (world) => {
  test("the ClusterRole edit, as the chart adds to it, makes a tenant, whom the webhooks hold to the namespace", {
    timeout: 120_000,
  }, async () => {
    const { client } = world();
    await using at = await CozystackStage.enter(world());
    await using other = await CozystackStage.enter(world());
    const { namespace, stage } = at;
    await using stack = new AsyncDisposableStack();
    const chart = rendered({ installScope: "cluster", "apis.cozystack.enabled": true });
    const role = chart.find(
      ({ kind, metadata }) => kind === "ClusterRole" && /-cozystack-edit$/.test(metadata.name),
    );
    const { labels = {} } = role?.metadata ?? {};
    const name = `edit-${namespace}`;
    const added = { metadata: { name, labels }, rules: role?.rules ?? [] } as object as Draft<KubeObject>;
    await client.create(ClusterRoles as Resource, added);
    stack.defer(async () => void (await client.delete(ClusterRoles, { name })));
    const tenant = stack.use(
      await world().account({
        rules: { cluster: exampleRules("backup-tenant"), home: [] },
        home: namespace,
      }),
    );
    const apiGroup = "rbac.authorization.k8s.io";
    await client.create(RoleBindings, {
      metadata: { namespace, name: "edit" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "edit" },
      subjects: [{ kind: "Group", apiGroup, name: `system:serviceaccounts:${namespace}` }],
    } as Draft<KubeObject>);

    const said = (doing: Promise<unknown>) =>
      doing.then(
        () => "done",
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 403) return error.message;
          throw error;
        },
      );
    const plan = { applicationRef: DATABASE, backupClassName: namespace, schedule: { cron: "0 0 1 1 *" } };
    const planned = (where: string) =>
      said(
        tenant.client.create(
          planResource,
          { metadata: { namespace: where, name: "mine" }, spec: plan } as never,
          {
            dryRun: true,
          },
        ),
      );
    // What is added to a role counts some time after it was created.
    await stage.eventually("the tenant may plan", async () => {
      const value = await planned(namespace);
      return { done: value === "done", value };
    });
    expect(await planned(other.namespace)).toContain("forbidden");
    const strategies = [{ strategyRef: { kind: "Volume", name: namespace }, application: DATABASE }];
    const made = at.create(backupClassResource, `${namespace}-own`, { strategies }, tenant.client);
    expect(await said(made)).toContain("forbidden");

    // The role lets them write no Backup, and restore: the webhooks know where to. They know Backups, too, where a role
    // of the cluster's own lets people write them.
    await at.guarded();
    const forge = (who: Account) =>
      said(at.create(backupResource, "forged", sampleBackup("forged").spec, who.client));
    expect(await forge(tenant)).toContain("cannot create resource");
    const writes = [
      { apiGroups: ["backups.cozystack.io"], resources: ["backups"], verbs: ["create"] } as const,
    ];
    const writer = stack.use(
      await world().account({ rules: { cluster: [], home: writes }, home: namespace }),
    );
    await stage.eventually("the webhook answers", async () => {
      const value = await forge(writer);
      return { done: value.includes("are written by its driver"), value };
    });
    const away = (restore: string) =>
      at
        .create(
          restoreJobResource,
          restore,
          { backupRef: { name: "first" }, targetNamespace: other.namespace },
          tenant.client,
        )
        .then(
          () => "done",
          (error: Error) => error.message,
        );
    expect(await away("refused")).toContain(`cannot restore into namespace ${other.namespace}`);
    const annotations = { "backups.cozystack.io/allowed-restore-namespaces": namespace };
    const consent = { type: "merge", patch: { metadata: { annotations } } } as const;
    await client.patch(Namespaces, { name: other.namespace }, consent);
    await stage.eventually("the namespace consents", async () => {
      const value = await away("away");
      return { done: value === "done", value };
    });
  });
});
