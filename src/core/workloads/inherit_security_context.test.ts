import type { PodSpec, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../kube/builtin.ts";
import { moverPodSecurity, moverSecurity } from "../work/mover_security.ts";
import { inheritedSecurity } from "./inherit_security_context.ts";

function pod(spec: Partial<PodSpec>, status: PodStatus = {}, name = "db", created = "00"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: `2026-01-01T00:00:${created}Z`,
    },
    spec: { containers: [{ name: "main" }, { name: "sidecar" }], ...spec },
    status: { phase: "Running", ...status },
  };
}

const inherited = (from: Pod, container?: string) => {
  const result = inheritedSecurity({ pods: [from], container });
  if (!result.ok) throw result.error;
  return result.value;
};

describe("inheritedSecurity()", () => {
  test("takes user, group and label over, the container's before the pod's", () => {
    const securityContext = { runAsUser: 1000, runAsGroup: 1000, seLinuxOptions: { level: "s0:c1" } };
    expect(inherited(pod({ securityContext }))).toEqual({
      podSecurityContext: {},
      securityContext: { ...securityContext, runAsNonRoot: true },
    });
    const containers = [{ name: "main", securityContext: { runAsUser: 999 } }];
    expect(inherited(pod({ securityContext, containers })).securityContext).toMatchObject({
      runAsUser: 999,
      runAsGroup: 1000,
    });
  });

  test("makes an fsGroup a supplemental group, and never has one", () => {
    const securityContext = {
      fsGroup: 2000,
      fsGroupChangePolicy: "Always",
      supplementalGroups: [3000, 2000],
    };
    const { podSecurityContext } = inherited(pod({ securityContext }));
    expect(podSecurityContext).toEqual({ supplementalGroups: [3000, 2000] });
    expect(inherited(pod({ securityContext: { fsGroup: 5 } })).podSecurityContext).toEqual({
      supplementalGroups: [5],
    });
    expect(moverPodSecurity({ podSecurityContext })).not.toHaveProperty("fsGroup");
  });

  test("leaves a mover as restricted as ever", () => {
    const powers = {
      privileged: true,
      allowPrivilegeEscalation: true,
      readOnlyRootFilesystem: false,
      capabilities: { add: ["SYS_ADMIN"] },
      seccompProfile: { type: "Unconfined" },
      procMount: "Unmasked",
    };
    const containers = [{ name: "main", securityContext: { ...powers, runAsUser: 1000 } }];
    const settings = inherited(
      pod({ containers, securityContext: { sysctls: [{ name: "a", value: "b" }] } }),
    );
    expect(moverPodSecurity(settings)).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(moverSecurity(settings)).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      runAsUser: 1000,
      runAsNonRoot: true,
    });
  });

  test("says root where the workload is root, for the caller to consent to or not", () => {
    expect(inherited(pod({ securityContext: { runAsUser: 0 } })).securityContext).toEqual({
      runAsUser: 0,
      runAsNonRoot: false,
    });
  });

  test("reads the user of the image where the cluster tells it", () => {
    const user = { linux: { uid: 70, gid: 71, supplementalGroups: [71] } };
    const told = { name: "main", image: "", imageID: "", ready: true, restartCount: 0, user };
    expect(inherited(pod({}, { containerStatuses: [told] })).securityContext).toEqual({
      runAsUser: 70,
      runAsGroup: 71,
      runAsNonRoot: true,
    });
    expect(inherited(pod({}))).toEqual({ podSecurityContext: {}, securityContext: {} });
    expect(inherited(pod({ securityContext: { runAsNonRoot: true } })).securityContext).toEqual({
      runAsNonRoot: true,
    });
  });

  test("takes the container that is named, of the newest pod that runs", () => {
    const sidecar = (runAsUser: number) => ({
      containers: [{ name: "main" }, { name: "sidecar", securityContext: { runAsUser } }],
    });
    const pods = [
      pod(sidecar(1), {}, "old", "01"),
      pod(sidecar(2), {}, "new", "02"),
      pod(sidecar(3), { phase: "Pending" }, "starting", "03"),
    ];
    expect(inheritedSecurity({ pods, container: "sidecar" })).toMatchObject({
      value: { securityContext: { runAsUser: 2 } },
    });
  });

  test("fails loudly without a pod or without the container", () => {
    expect(inheritedSecurity({ pods: [pod({}, { phase: "Succeeded" })] })).toMatchObject({
      ok: false,
      error: {
        class: "structural",
        reason: "NoWorkloadPod",
        message:
          "No running pod matches the selector that the security context is to be inherited by. Start the workload, correct the selector, or state the security context.",
      },
    });
    expect(inheritedSecurity({ pods: [pod({})], container: "none" })).toMatchObject({
      error: {
        reason: "ContainerNotFound",
        message:
          "Pod shop/db has no container none, whose security context is to be inherited. Name one of main, sidecar.",
      },
    });
  });
});
