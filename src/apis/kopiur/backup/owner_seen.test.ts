import { expect, test } from "vitest";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import { config, readyNas } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { canRunAs, withOwnerSeen } from "./owner_seen.ts";

const APP = { uid: 1000, gid: 2000 };
const OTHER = { uid: 1001, gid: 2000 };
const auth = { secretRef: { name: "creds" } };
const bucket = { backend: { s3: { bucket: "b", addressing: "Auto" as const, auth } } };

function recipe(mover?: Partial<MoverSpec>): Frozen {
  const { policy, failurePolicy } = config().spec;
  return {
    repository: { kind: "Repository", name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-0" },
    engine: "kopia",
    deletionPolicy: "Delete",
    sources: [{ pvc: "billing/data", sourcePath: "/data" }],
    identity: { username: "u", hostname: "h" },
    recipe: { policy, failurePolicy, ...(mover ? { mover: mover as MoverSpec } : {}) },
  };
}

test("the next attempt can run as the owner, also when another was taken for it", () => {
  const inS3 = readyNas({ spec: bucket });
  expect(canRunAs(recipe(), inS3, APP)).toBe(true);
  expect(canRunAs({ ...recipe(), owner: OTHER }, inS3, APP)).toBe(true);
});

test.each<[string, Parameters<typeof canRunAs>]>([
  ["it did", [{ ...recipe(), owner: APP }, readyNas({ spec: bucket }), APP]],
  ["that is root", [recipe(), readyNas({ spec: bucket }), { uid: 0, gid: 0 }]],
  ["Kubernetes knows no such user", [recipe(), readyNas({ spec: bucket }), { uid: 2 ** 31, gid: 0 }]],
  ["the repository is one user's", [recipe(), readyNas(), APP]],
  [
    "the recipe names a user",
    [recipe({ securityContext: { runAsUser: 7 } }), readyNas({ spec: bucket }), APP],
  ],
  ["it has privileges", [recipe({ privilegedMode: true }), readyNas({ spec: bucket }), APP]],
  [
    "it runs as a workload does",
    [
      recipe({ inheritSecurityContextFrom: { podSelector: { matchLabels: { app: "db" } } } }),
      readyNas({ spec: bucket }),
      APP,
    ],
  ],
  [
    "the repository names a user",
    [
      recipe(),
      readyNas({
        spec: { ...bucket, moverDefaults: { privilegedMode: false, securityContext: { runAsUser: 7 } } },
      }),
      APP,
    ],
  ],
])("it cannot where %s", (_, given) => {
  expect(canRunAs(...given)).toBe(false);
});

test("later attempts run as the owner that one has seen", () => {
  expect(withOwnerSeen({ ...recipe(), owner: OTHER }, { owner: APP }).owner).toEqual(APP);
  expect(withOwnerSeen({ ...recipe(), owner: OTHER }, {}).owner).toEqual(OTHER);
});
