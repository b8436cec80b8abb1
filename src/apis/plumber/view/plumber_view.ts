import type { ApiView } from "../../../core/view/api_view.ts";
import { refOf, type ShownObject } from "../../../core/view/shown_object.ts";
import type { ProtectionView } from "../../../core/view/view.ts";
import { ANNOTATIONS, LABELS, STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { parsePvc } from "../policy/parse_pvc.ts";
import { DEFAULTS } from "../settings.ts";
import { protectVolume } from "./protect_volume.ts";

const none = () => [];

/** How this API shows what it does: it has no kinds, and its objects are PVCs and those that it generates for them. */
export const plumberView: ApiView = {
  api: "plumber",
  kinds: [],
  read: ({ claims }) => ({
    stores: new Set(),
    protections: () => claims.flatMap(protectionOf),
    snapshots: none,
    repositories: none,
    schedules: none,
    activity: none,
    problems: none,
  }),
  dependsOn: none,
  nextTry: () => "The operator looks again when the PVC or its namespace changes.",
  remedies: none,
  protect: protectVolume,
};

/** What the labels of a PVC ask for. Whether there are backups, those say that it is backed up by. */
function protectionOf(claim: KubeObject): readonly ProtectionView[] {
  const pvc = parsePvc(claim, DEFAULTS);
  if (pvc.enabled !== true) return [];
  return [
    { claim: keyOf(claim), level: "not yet", by: [refOf(claim as ShownObject)], wrong: wrongOf(claim, pvc) },
  ];
}

function wrongOf({ metadata }: KubeObject, pvc: ReturnType<typeof parsePvc>): readonly string[] {
  const state = metadata.annotations?.[STATE_ANNOTATIONS.sourceState];
  const missing = [
    ...(pvc.managed ? [] : [`${LABELS.manage}: "true"`]),
    ...(pvc.hasTier ? [] : [LABELS.tier]),
  ];
  return [
    ...pvc.problems.map(({ message }) => message),
    ...(pvc.isBorrowed
      ? [
          `${ANNOTATIONS.backupIdentity} is that of another namespace, and was not set by someone who may get Backups there`,
        ]
      : []),
    ...missing.map((label) => `the PVC has no label ${label}, so the operator writes nothing for it`),
    ...(missing.length === 0 && state === undefined
      ? [
          `the operator writes nothing for it: its mode is audit, its namespace has no label ${LABELS.managedNamespace}: "true", or the operator is not running`,
        ]
      : []),
  ];
}
