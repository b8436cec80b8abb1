import type { Pod } from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import { OWNER_LABEL, ownerLabel } from "../../work/run_labels.ts";
import type { Claim } from "../claim_request.ts";
import type { ObservedSource } from "./observed_staging.ts";
import { besideUser } from "./placement.ts";
import { readable } from "./source_rules.ts";
import { refused } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";
import { type StagingStep, step } from "./staging_step.ts";

/** The volume itself is read, beside whoever uses it. */
export function directStep(request: StagingRequest, observed: ObservedSource): StagingStep {
  const read = readable(request, observed);
  if (!read.ok) return step(read.error);
  const { source, owner } = request;
  const users = observed.pods.filter(
    (pod) => isAlive(pod) && pod.metadata.labels?.[OWNER_LABEL] !== ownerLabel(owner.reference),
  );
  const modes = modesOf(read.value.claim);
  const user = users[0];
  if (modes.includes("ReadWriteOncePod") && user) {
    return step(
      refused(
        "transient",
        "SourceInUse",
        `PersistentVolumeClaim ${keyOf(source)} is for one pod at a time (ReadWriteOncePod), and pod ${user.metadata.name} uses it. Use the copy method Snapshot or Clone, or stop the pod while the backup runs.`,
      ),
    );
  }
  const anywhere = modes.includes("ReadWriteMany") || modes.every((mode) => mode === "ReadOnlyMany");
  const placement = anywhere ? undefined : besideUser(users, observed.nodes);
  return step({
    phase: "Ready",
    captured: false,
    volumes: [{ source, claim: source.name, ...(placement ? { placement } : {}) }],
  });
}

/** What the volume offers, which may be more than the claim asked for. */
function modesOf({ spec, status }: Claim): readonly string[] {
  return status?.accessModes ?? spec?.accessModes ?? [];
}

function isAlive({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
