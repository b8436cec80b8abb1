import { describe, expect, test } from "vitest";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import { lentSecret, moverJob, workConfigMap } from "./mover_job.ts";
import type { MoverSettings } from "./mover_settings.ts";
import type { RunRequest } from "./run_request.ts";
import { sampleJob, sampleOwner, sampleRequest } from "./testing/samples.ts";

const withMover = (mover: Partial<MoverSettings>): RunRequest => ({
  ...sampleRequest,
  mover: { ...sampleRequest.mover, ...mover },
});
const podOf = (request: RunRequest) => moverJob(request).spec?.template.spec;
const containerOf = (request: RunRequest) => podOf(request)?.containers[0];
const volumeOf = (request: RunRequest, name: string) =>
  podOf(request)?.volumes?.find((volume) => volume.name === name);
const mountOf = (request: RunRequest, name: string) =>
  containerOf(request)?.volumeMounts?.find((mount) => mount.name === name);

describe("the Job of a run", () => {
  test("has files of ConfigMaps and Secrets where they are asked for, and the mover's command line", () => {
    const request = {
      ...withMover({
        files: [
          { mountPath: "/etc/ca", subPath: "ca.pem", configMap: { name: "ca" } },
          { mountPath: "/credentials", secret: { secretName: "cloud" } },
        ],
      }),
      args: ["do", "this"],
    };
    expect(volumeOf(request, "files-0")).toEqual({ name: "files-0", configMap: { name: "ca" } });
    expect(mountOf(request, "files-0")).toEqual({
      name: "files-0",
      mountPath: "/etc/ca",
      subPath: "ca.pem",
      readOnly: true,
    });
    expect(mountOf(request, "files-1")).toMatchObject({ mountPath: "/credentials", readOnly: true });
    expect(containerOf(request)).toMatchObject({ args: ["do", "this"] });
    expect(containerOf(sampleRequest)).not.toHaveProperty("args");
  });

  test("is made suspended, fails with its first pod, and has no lifetime yet", () => {
    const { metadata, spec } = moverJob(sampleRequest);
    expect(metadata).toMatchObject({
      name: sampleRequest.id,
      namespace: "shop",
      ownerReferences: [sampleOwner],
      labels: { "holdfast.dev/run": sampleRequest.id, "holdfast.dev/run-owner": sampleOwner.uid },
    });
    expect(spec).toMatchObject({ suspend: true, backoffLimit: 0, podReplacementPolicy: "Failed" });
    expect(spec).not.toHaveProperty("ttlSecondsAfterFinished");
    expect(spec).not.toHaveProperty("activeDeadlineSeconds");
  });

  describe("gives a new volume to the mover's group", () => {
    const target = { name: "target", claim: "new", readOnly: false, fresh: true };
    const restricted = { securityContext: { runAsUser: 999, runAsGroup: 998 } };
    const { repositoryVolume: _, ...sample } = withMover(restricted);
    const request: RunRequest = { ...sample, volumes: [target] };
    const groupOf = (changed: Partial<RunRequest>) =>
      podOf({ ...request, ...changed })?.securityContext?.fsGroup;

    test("where nothing else is mounted", () => {
      expect(podOf(request)?.securityContext).toMatchObject({
        fsGroup: 998,
        fsGroupChangePolicy: "OnRootMismatch",
      });
    });

    test.each<[string, Partial<RunRequest>]>([
      ["a volume that others use", { volumes: [target, { ...target, name: "source", fresh: false }] }],
      ["a repository's volume", { repositoryVolume: { claim: "repository" } }],
      ["a cache's volume", { mover: { ...request.mover, cache: { claim: "cache" } } }],
      [
        "a cache's new volume beside one that others use",
        {
          volumes: [{ ...target, fresh: false }],
          mover: { ...request.mover, cache: { ephemeral: { storageClassName: "fast", capacity: "1Gi" } } },
        },
      ],
      ["no volume at all", { volumes: [] }],
    ])("but not with %s", (_, changed) => {
      expect(groupOf(changed)).toBeUndefined();
    });

    test("where a cache's new volume is all that is mounted", () => {
      const cache = { ephemeral: { storageClassName: "fast", capacity: "1Gi" } };
      expect(groupOf({ volumes: [], mover: { ...request.mover, cache } })).toBe(998);
    });

    test("but not to root, who needs no group", () => {
      const securityContext = { runAsUser: 0, runAsGroup: 0 };
      expect(groupOf({ mover: { ...request.mover, securityContext } })).toBeUndefined();
    });
  });

  test("has the deadline that was asked for", () => {
    expect(moverJob({ ...sampleRequest, activeDeadlineSeconds: 90 }).spec?.activeDeadlineSeconds).toBe(90);
  });

  test("has a pod that may do nothing but its work", () => {
    const pod = podOf(sampleRequest);
    expect(pod).toMatchObject({
      hostname: sampleRequest.id,
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 60,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(containerOf(sampleRequest)?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("names the labels of users and settings, and lets none of them replace ours", () => {
    const request = {
      ...withMover({ labels: { team: "shop", "holdfast.dev/run": "other" }, annotations: { note: "x" } }),
      labels: { app: "a", "holdfast.dev/run": "other" },
    };
    const { template } = moverJob(request).spec ?? {};
    const ours = { "holdfast.dev/run": sampleRequest.id };
    expect(moverJob(request).metadata.labels).toMatchObject({ app: "a", ...ours });
    expect(template?.metadata?.labels).toMatchObject({ app: "a", team: "shop", ...ours });
    expect(template?.metadata?.annotations).toEqual({
      note: "x",
      "holdfast.dev/run-owner": "example.com/v1 Keeper nightly",
      "holdfast.dev/operation": "snapshot",
    });
  });

  test("takes placement, resources and image as given", () => {
    const settings = {
      imagePullPolicy: "Never",
      serviceAccountName: "movers",
      resources: { limits: { memory: "1Gi" } },
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "backup", operator: "Exists" }],
      priorityClassName: "low",
      terminationGracePeriodSeconds: 5,
      env: { HTTPS_PROXY: "http://proxy" },
    } as const;
    expect(podOf(withMover(settings))).toMatchObject({
      serviceAccountName: "movers",
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "backup", operator: "Exists" }],
      priorityClassName: "low",
      terminationGracePeriodSeconds: 5,
    });
    expect(containerOf(withMover(settings))).toMatchObject({
      image: "mover:1",
      imagePullPolicy: "Never",
      resources: { limits: { memory: "1Gi" } },
      env: [
        { name: "TMPDIR", value: "/tmp" },
        { name: "HOME", value: "/tmp" },
        { name: "HTTPS_PROXY", value: "http://proxy" },
      ],
    });
  });

  test("is limited in memory where nothing is said, and takes what is said as a whole", () => {
    expect(containerOf(sampleRequest)?.resources).toEqual({
      requests: { cpu: "250m", memory: "512Mi" },
      limits: { memory: "4Gi" },
    });
    expect(containerOf(withMover({ resources: {} }))?.resources).toEqual({});
  });
});

describe("the security context", () => {
  test("turns an fsGroup into a supplemental group", () => {
    const pod = podOf(
      withMover({
        podSecurityContext: { fsGroup: 2000, fsGroupChangePolicy: "Always", supplementalGroups: [7] },
      }),
    );
    expect(pod?.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
      supplementalGroups: [7, 2000],
    });
  });

  test("allows root only where it is asked for", () => {
    expect(podOf(withMover({ podSecurityContext: { runAsUser: 0 } }))?.securityContext?.runAsNonRoot).toBe(
      false,
    );
    expect(podOf(withMover({ securityContext: { runAsUser: 0 } }))?.securityContext?.runAsNonRoot).toBe(
      false,
    );
    expect(podOf(withMover({ podSecurityContext: { runAsUser: 1000 } }))?.securityContext).toMatchObject({
      runAsUser: 1000,
      runAsNonRoot: true,
    });
  });

  test("adds capabilities to none, and keeps what the API server refuses together apart", () => {
    const added = containerOf(withMover({ securityContext: { capabilities: { add: ["CHOWN"] } } }));
    expect(added?.securityContext?.capabilities).toEqual({ drop: ["ALL"], add: ["CHOWN"] });
    const privileged = containerOf(withMover({ securityContext: { privileged: true } }));
    expect(privileged?.securityContext).not.toHaveProperty("allowPrivilegeEscalation");
  });
});

describe("the volumes", () => {
  test("of a source are read-only for claim and mover, below the folder of volumes", () => {
    expect(volumeOf(sampleRequest, "data-data")?.persistentVolumeClaim).toEqual({
      claimName: "shop-data",
      readOnly: true,
    });
    expect(mountOf(sampleRequest, "data-data")).toMatchObject({
      mountPath: `${POD_LAYOUT.volumes}/data`,
      readOnly: true,
    });
  });

  test("of a target are writable, and may be mounted elsewhere", () => {
    const volumes = [{ name: "data", claim: "new", readOnly: false, mountPath: "/shop/data" }];
    const request = { ...sampleRequest, volumes };
    expect(volumeOf(request, "data-data")?.persistentVolumeClaim).toEqual({ claimName: "new" });
    expect(mountOf(request, "data-data")).toEqual({ name: "data-data", mountPath: "/shop/data" });
  });

  test("of a repository are a claim or a folder of the node", () => {
    expect(volumeOf(sampleRequest, "repository")?.persistentVolumeClaim).toEqual({ claimName: "backups" });
    const request = { ...sampleRequest, repositoryVolume: { hostPath: "/srv", readOnly: true } };
    expect(volumeOf(request, "repository")?.hostPath).toEqual({ path: "/srv" });
    expect(mountOf(request, "repository")).toMatchObject({
      mountPath: "/holdfast/repository",
      readOnly: true,
    });
  });

  test("of a node are its folder alone, seen as it is mounted there, on that node", () => {
    const hostPath = "/var/lib/kubelet/pods/u1/volumes/kubernetes.io~csi/pv/mount";
    const request: RunRequest = {
      ...withMover({ nodeName: "node-1" }),
      hostVolume: { name: "data", hostPath, readOnly: true },
    };
    const { volumes: _, ...alone } = request;
    expect(podOf(alone)?.nodeName).toBe("node-1");
    expect(volumeOf(alone, "data-data")?.hostPath).toEqual({ path: hostPath, type: "Directory" });
    const mountPath = "/holdfast/volumes/data";
    expect(mountOf(alone, "data-data")).toEqual({
      name: "data-data",
      mountPath,
      readOnly: true,
      mountPropagation: "HostToContainer",
    });
    const written = { ...alone, hostVolume: { name: "data", hostPath, readOnly: false } };
    expect(mountOf(written, "data-data")).toEqual({
      name: "data-data",
      mountPath,
      mountPropagation: "None",
    });
  });

  test("for what is written are emptyDirs, the cache of a size or a claim", () => {
    expect(volumeOf(sampleRequest, "cache")).toEqual({ name: "cache", emptyDir: {} });
    expect(volumeOf(sampleRequest, "scratch")).toEqual({ name: "scratch", emptyDir: {} });
    const sized = withMover({ cache: { emptyDir: { sizeLimit: "1Gi" } } });
    expect(volumeOf(sized, "cache")?.emptyDir).toEqual({ sizeLimit: "1Gi" });
    const claimed = withMover({ cache: { claim: "cache" } });
    expect(volumeOf(claimed, "cache")?.persistentVolumeClaim).toEqual({ claimName: "cache" });
  });

  test("for a cache of a storage class is a new one, that goes with the pod and is known as the run's", () => {
    const made = withMover({ cache: { ephemeral: { storageClassName: "fast", capacity: "16Gi" } } });
    expect(volumeOf(made, "cache")).toEqual({
      name: "cache",
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { "holdfast.dev/run": made.id } },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "fast",
            resources: { requests: { storage: "16Gi" } },
          },
        },
      },
    });
  });
});

describe("the secrets", () => {
  test("are mounted by name, with the files that the mover reads", () => {
    expect(volumeOf(sampleRequest, "password")?.secret).toEqual({
      secretName: "repository",
      items: [{ key: "password", path: "password" }],
      defaultMode: 0o444,
    });
    expect(mountOf(sampleRequest, "password")?.mountPath).toBe("/holdfast/password");
    expect(volumeOf(sampleRequest, "credentials")).toBeUndefined();
  });

  test("come from several Secrets, with keys renamed and some of them optional", () => {
    const credentials = [
      {
        secret: "s3",
        items: [
          { key: "id", as: "AWS_ACCESS_KEY_ID" },
          { key: "token", as: "AWS_SESSION_TOKEN", optional: true },
        ],
      },
      { secret: "all" },
    ] as const;
    const request = { ...sampleRequest, secrets: { ...sampleRequest.secrets, credentials } };
    expect(volumeOf(request, "credentials")?.projected?.sources).toEqual([
      { secret: { name: "s3", items: [{ key: "id", path: "AWS_ACCESS_KEY_ID" }] } },
      { secret: { name: "s3", items: [{ key: "token", path: "AWS_SESSION_TOKEN" }], optional: true } },
      { secret: { name: "all" } },
    ]);
    expect(mountOf(request, "credentials")).toMatchObject({
      mountPath: "/holdfast/credentials",
      readOnly: true,
    });
  });

  test("of a copy's destination lie beside the first's", () => {
    const destination = { password: { secret: "second", key: "pw" }, credentials: [{ secret: "second" }] };
    const request = { ...sampleRequest, secrets: { ...sampleRequest.secrets, destination } };
    expect(mountOf(request, "destination-password")?.mountPath).toBe("/holdfast/destination/password");
    expect(mountOf(request, "destination-credentials")?.mountPath).toBe("/holdfast/destination/credentials");
  });

  test("that are lent are in the Secret of the run's name, which the Job owns", () => {
    const lent = { namespace: "platform", name: "creds" };
    const items = [{ key: "id", as: "AWS_ACCESS_KEY_ID" }] as const;
    const request: RunRequest = {
      ...sampleRequest,
      secrets: { password: { lent, key: "pw" }, credentials: [{ lent, items }] },
    };
    expect(volumeOf(request, "password")?.secret).toMatchObject({
      secretName: request.id,
      items: [{ key: "password", path: "password" }],
    });
    expect(volumeOf(request, "credentials")?.projected?.sources).toEqual([
      { secret: { name: request.id, items: [{ key: "AWS_ACCESS_KEY_ID", path: "AWS_ACCESS_KEY_ID" }] } },
    ]);
    expect(lentSecret(request, sampleJob(request), { password: "p" })).toMatchObject({
      metadata: { name: request.id, ownerReferences: [{ kind: "Job", uid: "job-1", controller: true }] },
      immutable: true,
      stringData: { password: "p" },
    });
  });
});

test("the work is in a ConfigMap that the Job owns, with the run's ID and no secret", () => {
  const { metadata, data, immutable } = workConfigMap(sampleRequest, sampleJob());
  expect(metadata).toMatchObject({
    name: sampleRequest.id,
    namespace: "shop",
    ownerReferences: [{ kind: "Job", name: sampleRequest.id, uid: "job-1", blockOwnerDeletion: false }],
  });
  expect(immutable).toBe(true);
  expect(JSON.parse(data?.["work.json"] ?? "")).toEqual({
    version: 1,
    run: sampleRequest.id,
    ...sampleRequest.work,
  });
});
