import type { ObjectMeta } from "./object.ts";

/** The programs that deploy objects and put them back as they were: by the marks that they leave. */
export const DEPLOYERS = ["argocd", "flux", "helm"] as const;
export type Deployer = (typeof DEPLOYERS)[number];

const MANAGED_BY = "app.kubernetes.io/managed-by";

const MARKS: Readonly<
  Record<Deployer, { readonly labels: readonly string[]; readonly annotations: readonly string[] }>
> = {
  argocd: { labels: ["argocd.argoproj.io/instance"], annotations: ["argocd.argoproj.io/tracking-id"] },
  flux: {
    labels: ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"],
    annotations: [],
  },
  helm: { labels: [], annotations: ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"] },
};

type Marked = Pick<ObjectMeta, "labels" | "annotations">;

/** Who deploys an object; undefined where nothing says so. */
export function deployedBy({ labels = {}, annotations = {} }: Marked): Deployer | undefined {
  const manager = labels[MANAGED_BY]?.toLowerCase();
  return DEPLOYERS.find(
    (deployer) =>
      manager === deployer ||
      MARKS[deployer].labels.some((label) => labels[label] !== undefined) ||
      MARKS[deployer].annotations.some((annotation) => annotations[annotation] !== undefined),
  );
}

/** Every label and annotation by which a deployer knows an object as its own. */
export const DEPLOYER_MARKS = {
  labels: DEPLOYERS.flatMap((deployer) => MARKS[deployer].labels),
  annotations: DEPLOYERS.flatMap((deployer) => MARKS[deployer].annotations),
};
