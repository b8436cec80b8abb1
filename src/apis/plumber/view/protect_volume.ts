import { chosenOption, type ProtectFacts, type ProtectPlan } from "../../../core/view/protect.ts";
import { LABELS, SCHEDULED_TIERS } from "../../../kinds/plumber/words.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../kube/builtin.ts";

/** The labels by which this API takes a volume into its care; undefined where it has them. */
export function protectVolume({ claim, chosen }: ProtectFacts): ProtectPlan | undefined {
  const { namespace = "", name, labels = {} } = claim.metadata;
  if (labels[LABELS.enabled] === "true" && labels[LABELS.manage] === "true" && labels[LABELS.tier])
    return undefined;
  const tier = chosenOption(
    { name: "tier", title: "How often", values: SCHEDULED_TIERS, value: "daily" },
    chosen,
  );
  return {
    title: "Label it",
    says: [
      "Labels on the PVC and on its namespace ask for it; the operator writes the objects, into the repository of its own settings.",
      "While the operator's mode for this is audit, which is the default, it only reports what it would write.",
    ],
    options: [tier],
    writes: [
      {
        resource: Namespaces,
        object: { metadata: { name: namespace, labels: { [LABELS.managedNamespace]: "true" } } },
      },
      {
        resource: PersistentVolumeClaims,
        object: {
          metadata: {
            namespace,
            name,
            labels: { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: tier.value },
          },
        },
      },
    ],
  };
}
