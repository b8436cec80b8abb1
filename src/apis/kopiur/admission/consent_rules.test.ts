import { expect, test } from "vitest";
import { completed } from "../../../core/admission/answers.ts";
import type { GuardPorts } from "../../../core/admission/guard.ts";
import { CONSENT_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import {
  type BackupConfig,
  backupConfigResource,
  backupConfigSchema,
} from "../../../kinds/kopiur/generated/backup_config.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { consentRules, judge } from "./consent_rules.ts";
import { configCrossings } from "./crossings.ts";
import type { Lookup } from "./lookup.ts";
import type { Manifest } from "./testing/admission_case.ts";
import { config, repository } from "./testing/manifests.ts";
import { storedOf } from "./testing/memory_door.ts";
import { memoryLookup } from "./testing/memory_lookup.ts";

/** What is written down for an author who may do everything, and how often that was asked. */
async function reached() {
  let asked = 0;
  const create = async () => {
    asked += 1;
    return { status: { allowed: true } };
  };
  const sources = [{ pvcSelector: { namespaceSelector: { matchNames: ["tenant-b"] } } }];
  const lookup = memoryLookup(new Map());
  const ports = {
    client: { create },
    lookup,
    consent: consentRules(lookup),
    operatorNamespace: "platform",
    isOperator: () => false,
  } as unknown as GuardPorts<Lookup>;
  const guard = {
    resource: backupConfigResource,
    schema: backupConfigSchema,
    check: () => [],
    crossings: configCrossings,
  };
  const request = {
    object: storedOf(config({ spec: { sources } })),
    namespace: "tenant-a",
    user: { username: "somebody", uid: "", groups: [] },
  } as unknown as AdmissionRequest<BackupConfig>;
  const answer = await completed(guard, ports, request, {});
  const written = answer.allowed ? answer.object?.metadata.annotations?.[CONSENT_ANNOTATION] : "refused";
  return { asked, written };
}

test("nobody's rights let a BackupConfig be run on another namespace's claims: that namespace alone does", async () => {
  expect(await reached()).toEqual({ asked: 0, written: undefined });
});

const OURS = { list: ["tenant-a"] };
const metadata = { namespace: "tenant-b", name: "last" };
const made = { kind: "Backup", metadata, spec: { configRef: { name: "data" } } };
const found = {
  kind: "Backup",
  metadata,
  spec: {},
  status: { resolved: { repository: { kind: "Repository", namespace: "tenant-b", name: "nas" } } },
};
const recipe = (spec: object = {}) => config({ namespace: "tenant-b", spec });
const nas = (spec: object = {}) => repository({ namespace: "tenant-b", name: "nas", spec });

test.each<[string, object, readonly Manifest[], string]>([
  ["its BackupConfig lists the namespace", made, [recipe({ allowedNamespaces: OURS })], "granted"],
  ["its BackupConfig lists nobody", made, [recipe()], "denied"],
  ["its BackupConfig is gone", made, [nas({ allowedNamespaces: OURS })], "denied"],
  [
    "it was found, and its Repository lists the namespace",
    found,
    [nas({ allowedNamespaces: OURS })],
    "granted",
  ],
  ["it was found, and its Repository lists nobody", found, [nas()], "denied"],
  ["it was found, and its Repository is gone", found, [recipe({ allowedNamespaces: OURS })], "denied"],
])("a Backup of another namespace, where %s", (_, backup, given, expected) => {
  const objects = given.map((one) => [`${one.kind} ${one.namespace}/${one.name}`, storedOf(one)] as const);
  const lookup = memoryLookup(new Map([...objects, ["Backup tenant-b/last", backup as KubeObject]]));
  const crossing = { kind: "Backup", ...metadata, field: "spec.source.backupRef" };
  expect(judge(crossing as never, "tenant-a", lookup)).toBe(expected);
});
