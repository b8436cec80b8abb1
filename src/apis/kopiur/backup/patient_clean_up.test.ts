import { expect, test } from "vitest";
import { VolumeSnapshots } from "../../../core/volumes/staging/snapshot_kinds.ts";
import type { StagingIntent } from "../../../core/volumes/staging/staging_decision.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { NOW } from "../testing/samples.ts";
import { patientCleanUp } from "./patient_clean_up.ts";

const deletion = (resource: StagingIntent & object, status?: object) =>
  ({ type: "Delete", resource, object: { status } }) as unknown as StagingIntent;
const ofSnapshot = (status?: object) => deletion(VolumeSnapshots as never, status);

test.each<[string, StagingIntent, boolean]>([
  ["a snapshot that nobody has looked at", ofSnapshot(), false],
  ["a snapshot that is being taken", ofSnapshot({ readyToUse: false }), false],
  ["a snapshot that is there", ofSnapshot({ readyToUse: true }), true],
  ["a snapshot that failed", ofSnapshot({ readyToUse: false, error: {} }), true],
  ["a claim", deletion(PersistentVolumeClaims as never), true],
])("%s is deleted at once: %s", (_, intent, atOnce) => {
  const cleaning = { intents: [intent], done: false, unseen: [] };
  expect(patientCleanUp(cleaning, NOW + 1, NOW).intents).toEqual(atOnce ? [intent] : []);
  expect(patientCleanUp(cleaning, NOW, NOW)).toEqual(cleaning);
});
