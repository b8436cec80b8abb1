import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { VeleroPorts } from "../ports.ts";
import { exposing } from "./step.ts";
import { CONSENT_ANNOTATION } from "./surroundings.ts";
import { sampleBackup } from "./testing/samples.ts";

const labelled = (
  namespace: string,
  labels: Record<string, string> = { [LABELS.exposeOngoing]: "true" },
): PodVolumeBackup => ({
  ...sampleBackup,
  metadata: { ...sampleBackup.metadata, namespace, labels },
});

const consenting: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "consents", annotations: { [CONSENT_ANNOTATION]: "true" } } as never,
};

test("mover pods being prepared are counted where they may be, whatever labels say elsewhere", () => {
  const named = (uid: string, object: PodVolumeBackup) => ({
    ...object,
    metadata: { ...object.metadata, uid },
  });
  const backups = [
    named("labelled", labelled("velero")),
    named("other", labelled("velero", {})),
    named("stranger", labelled("stranger")),
    // The cache does not show yet that this one was accepted; of the other it shows that it is prepared.
    named("accepted", labelled("velero", {})),
    named("prepared", { ...labelled("velero", {}), status: { phase: "InProgress" } }),
  ];
  const restores = [named("consenting", labelled("consents")), named("strangest", labelled("stranger"))];
  const ports = {
    own: { namespace: "velero" },
    preparing: new Set(["accepted", "prepared"]),
    caches: {
      backups: { values: () => backups },
      restores: { values: () => restores },
      namespaces: { get: (key: string) => (key === "consents" ? consenting : undefined) },
    },
  } as unknown as VeleroPorts;
  expect(exposing(ports).map(({ metadata }) => metadata.uid)).toEqual(["labelled", "accepted", "consenting"]);
});
