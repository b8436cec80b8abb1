import { expect, test } from "vitest";
import { LABELS } from "../../../kinds/velero/labels.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { VeleroPorts } from "../ports.ts";
import { exposing } from "./step.ts";
import { CONSENT_ANNOTATION } from "./surroundings.ts";
import { sampleBackup } from "./testing/samples.ts";

const labelled = (
  namespace: string,
  labels: Record<string, string> = { [LABELS.exposeOngoing]: "true" },
) => ({
  ...sampleBackup,
  metadata: { ...sampleBackup.metadata, namespace, labels },
});

const consenting: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "consents", annotations: { [CONSENT_ANNOTATION]: "true" } } as never,
};

test("mover pods being prepared are counted where they may be, whatever labels say elsewhere", () => {
  const backups = [labelled("velero"), labelled("velero", {}), labelled("stranger")];
  const restores = [labelled("consents"), labelled("stranger")];
  const ports = {
    own: { namespace: "velero" },
    caches: {
      backups: { values: () => backups },
      restores: { values: () => restores },
      namespaces: { get: (key: string) => (key === "consents" ? consenting : undefined) },
    },
  } as unknown as VeleroPorts;
  expect(exposing(ports).map(({ metadata }) => metadata.namespace)).toEqual(["velero", "consents"]);
});
