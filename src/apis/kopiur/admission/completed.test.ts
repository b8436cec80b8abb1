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

interface Asked {
  readonly spec: {
    readonly resourceAttributes: {
      readonly verb: string;
      readonly resource: string;
      readonly namespace: string;
    };
  };
}

/** What is written down for an author who has these rights in tenant-b, and what was asked. */
async function reached(rights: readonly string[]) {
  const asked: string[] = [];
  const create = async (_: unknown, { spec }: Asked) => {
    const { verb, resource, namespace } = spec.resourceAttributes;
    asked.push(`${verb} ${resource} in ${namespace}`);
    return { status: { allowed: rights.includes(`${verb} ${resource}`) } };
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

const ALL = ["get persistentvolumeclaims", "create backupconfigs", "create backups"];

test("a recipe may be run on another namespace's claims for an author who could write one there", async () => {
  const { asked, written } = await reached(ALL);
  expect(written).toBe("PersistentVolumeClaim/tenant-b/*");
  expect(asked).toEqual(ALL.map((right) => `${right} in tenant-b`));
});

test.each(ALL)("an author without the right to %s is not enough for that", async (missing) => {
  const { written } = await reached(ALL.filter((right) => right !== missing));
  expect(written).toBeUndefined();
});
