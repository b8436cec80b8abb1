import { Namespaces } from "../../src/kube/builtin.ts";
import { operatedCluster } from "../scenarios/cluster_world.ts";
import type { InstalledWorld, WorldOptions } from "../scenarios/world.ts";
import { HOME, InstallStage, TAKING_OVER } from "./install_stage.ts";
import { namespacesGone } from "./namespaces_gone.ts";

/** The cluster under test with the operator that the chart installs: in pods, with webhooks, and no rights but its own. */
export async function chartWorld({ lending = false }: WorldOptions): Promise<InstalledWorld> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await operatedCluster(HOME));
  const stage = stack.use(await InstallStage.enter());
  // Other tests may have left CRDs, which belong to nobody.
  await stage.guide.follow("--server-side");
  await stage.guide.follow("kubectl annotate crd", { NEW: "holdfast", NAMESPACE: HOME });
  await stage.release("install", { "lendSecrets.enabled": String(lending) }, TAKING_OVER);
  stack.defer(async () => {
    await namespacesGone(stage.client);
    await stage.revalue("crds.keep=false");
    await stage.uninstall();
    await stage.client.delete(Namespaces, { name: HOME });
    await namespacesGone(stage.client);
  });
  const kept = stack.move();
  return { ...world, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
