import { expect, test } from "vitest";
import { deployedBy } from "./deployed_by.ts";

test.each([
  [{}, {}, undefined],
  [{ "app.kubernetes.io/managed-by": "argocd" }, {}, "argocd"],
  [{ "argocd.argoproj.io/instance": "media" }, {}, "argocd"],
  [{}, { "argocd.argoproj.io/tracking-id": "media:x" }, "argocd"],
  [{ "kustomize.toolkit.fluxcd.io/name": "apps" }, {}, "flux"],
  [{ "app.kubernetes.io/managed-by": "Helm" }, {}, "helm"],
  [{}, { "meta.helm.sh/release-name": "media" }, "helm"],
  [{ "app.kubernetes.io/managed-by": "pvc-plumber" }, {}, undefined],
])("labels %j and annotations %j: %s", (labels, annotations, deployer) => {
  expect(deployedBy({ labels, annotations } as Parameters<typeof deployedBy>[0])).toBe(deployer);
});
