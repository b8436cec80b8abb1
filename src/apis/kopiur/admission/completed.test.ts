import { expect, test } from "vitest";
import { CONSENT_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import {
  type BackupConfig,
  backupConfigResource,
  backupConfigSchema,
} from "../../../kinds/kopiur/generated/backup_config.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import { completed } from "./completed.ts";
import { configCrossings } from "./crossings.ts";
import type { GuardPorts } from "./guard.ts";
import { config } from "./testing/manifests.ts";
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
  const ports = {
    client: { create },
    lookup: memoryLookup(new Map()),
    operatorNamespace: "platform",
    isOperator: () => false,
  } as unknown as GuardPorts;
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

test("nobody's rights let a recipe be run on another namespace's claims: that namespace alone does", async () => {
  expect(await reached()).toEqual({ asked: 0, written: undefined });
});
