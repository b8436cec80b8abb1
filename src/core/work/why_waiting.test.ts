import { describe, expect, test } from "vitest";
import { podWith, samplePod } from "./testing/samples.ts";
import { whyNoPod, whyNotStarted } from "./why_waiting.ts";

const warning = (reason: string, message: string, lastTimestamp = "2026-01-01T00:00:05Z") =>
  ({ type: "Warning", reason, message, lastTimestamp }) as const;

describe("a Job has no pod because", () => {
  test.each([
    [
      'Error creating: pods "nightly-x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
      "PodSecurityDenied",
      "pod-security.kubernetes.io/enforce",
    ],
    [
      'Error creating: pods "nightly-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
      "QuotaExceeded",
      "Raise the namespace's quota",
    ],
    [
      'Error creating: pods "nightly-x" is forbidden: failed quota: small: must specify limits.cpu',
      "QuotaExceeded",
      "Raise the namespace's quota",
    ],
    [
      'Error creating: pods "nightly-x" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
      "QuotaExceeded",
      "lower the mover's resources",
    ],
    [
      'Error creating: admission webhook "rules.example.com" denied the request: no backups on Sundays',
      "WebhookDenied",
      "Meet the webhook's rule",
    ],
    [
      'Error creating: Internal error occurred: failed calling webhook "rules.example.com": no endpoints',
      "WebhookDenied",
      "exempt the mover's pods",
    ],
    [
      'Error creating: pods "nightly-x" is forbidden: error looking up service account shop/movers: serviceaccount "movers" not found',
      "ServiceAccountMissing",
      "Create the service account",
    ],
    ["Error creating: something nobody foresaw", "PodDenied", "once that is put right"],
  ])("%s", (message, reason, remedy) => {
    const waiting = whyNoPod([warning("FailedCreate", message)]);
    expect(waiting).toMatchObject({ phase: "Waiting", reason, class: "structural" });
    expect(waiting?.message).toContain(message.replace("Error creating: ", "The mover's pod is refused: "));
    expect(waiting?.message).toContain(remedy);
    expect(waiting?.since).toBe("2026-01-01T00:00:05Z");
  });

  test("of the newest complaint", () => {
    const events = [
      warning("FailedCreate", "Error creating: exceeded quota: a", "2026-01-01T00:00:09Z"),
      warning("FailedCreate", "Error creating: violates PodSecurity", "2026-01-01T00:00:01Z"),
    ];
    expect(whyNoPod(events)?.reason).toBe("QuotaExceeded");
  });

  test("nothing, as far as anybody says", () => {
    expect(whyNoPod([])).toBeUndefined();
    expect(whyNoPod([warning("Other", "Error creating: x")])).toBeUndefined();
  });
});

describe("a mover does not start because", () => {
  test("no node takes its pod", () => {
    const message = "0/3 nodes are available: 3 Insufficient memory.";
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    const waiting = whyNotStarted(samplePod({ status: { phase: "Pending", conditions: [condition] } }), []);
    expect(waiting?.reason).toBe("Unschedulable");
    expect(waiting?.message).toBe(
      "No node takes the mover's pod: 0/3 nodes are available: 3 Insufficient memory. " +
        "Free or add what is missing, or change the mover's resources and placement.",
    );
  });

  test.each(["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"])(
    "its image cannot be had: %s",
    (reason) => {
      const waiting = whyNotStarted(podWith({ waiting: { reason, message: "not found" } }, "Pending"), []);
      expect(waiting).toMatchObject({ reason: "ImageUnavailable", class: "structural" });
      expect(waiting?.message).toContain("mover:1 cannot be had: not found");
    },
  );

  test("its image cannot be had without a pull secret, which its account lacks or its namespace does", () => {
    const state = { waiting: { reason: "ImagePullBackOff", message: "401 Unauthorized" } };
    const pod = podWith(state, "Pending");
    const under = { ...pod, spec: { containers: [], ...pod.spec, serviceAccountName: "holdfast-mover" } };
    expect(whyNotStarted(under, [])?.message).toMatch(
      /401 Unauthorized\. Correct the image's name, or give the ServiceAccount holdfast-mover the pull secret/,
    );
    const said =
      "Unable to retrieve some image pull secrets (mirror, old); attempting to pull the image may not succeed.";
    const events = [
      warning("FailedToRetrieveImagePullSecret", said),
      warning("Failed", "Error: ErrImagePull"),
    ];
    expect(whyNotStarted(under, events)?.message).toMatch(
      /401 Unauthorized\. Pull secrets are missing in the mover's namespace: create mirror, old there\.$/,
    );
  });

  test("a Secret is missing, as a variable would say it", () => {
    const state = { waiting: { reason: "CreateContainerConfigError", message: 'secret "s3" not found' } };
    const waiting = whyNotStarted(podWith(state, "Pending"), []);
    expect(waiting).toMatchObject({
      reason: "SecretMissing",
      message:
        "The mover waits for the Secret s3, which is not there. Create it in the mover's namespace, or name another one.",
    });
  });

  test("a Secret is missing, as a volume says it", () => {
    const said = 'MountVolume.SetUp failed for volume "password" : secret "repository" not found';
    const pod = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    const waiting = whyNotStarted(pod, [warning("FailedMount", said)]);
    expect(waiting).toMatchObject({ reason: "SecretMissing", since: "2026-01-01T00:00:05Z" });
    expect(waiting?.message).toContain("the Secret repository");
  });

  test.each([
    ["secret", [], "its Secret"],
    ["secret or config", [{ name: "password", secret: { secretName: "nas" } }], "the Secret nas"],
  ])("a key of a %s is missing", (word, volumes, whose) => {
    const said = `MountVolume.SetUp failed for volume "password" : references non-existent ${word} key: passphrase`;
    const pod = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    const spec = { containers: [], volumes };
    const waiting = whyNotStarted({ ...pod, spec }, [warning("FailedMount", said)]);
    expect(waiting).toMatchObject({
      reason: "SecretMissing",
      message: `The mover waits for the key passphrase, which ${whose} does not have. Add the key to the Secret, or name another key.`,
    });
  });

  test("a claim is missing", () => {
    const message = '0/1 nodes are available: persistentvolumeclaim "shelf" not found. not found.';
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
    const pod = samplePod({ status: { phase: "Pending", conditions: [condition] } });
    expect(whyNotStarted(pod, [])).toMatchObject({
      reason: "Unschedulable",
      message:
        "The mover waits for the PersistentVolumeClaim shelf, which is not there. Create it in the mover's namespace, or name another one. For a repository, bind it to the storage that holds the repository: a new volume is empty.",
    });
  });

  test.each(["FailedMount", "FailedAttachVolume"])("a volume cannot be mounted: %s", (reason) => {
    const pod = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    const waiting = whyNotStarted(pod, [warning(reason, "Multi-Attach error for volume")]);
    expect(waiting).toMatchObject({ reason: "MountFailed", class: "transient" });
    expect(waiting?.message).toContain("Multi-Attach error");
  });

  test("its container cannot be made", () => {
    const message = "container has runAsNonRoot and image will run as root";
    const pod = podWith({ waiting: { reason: "CreateContainerConfigError", message } }, "Pending");
    expect(whyNotStarted(pod, [])).toMatchObject({ reason: "ContainerNotCreated" });
  });

  test("nothing: it is on its way", () => {
    expect(whyNotStarted(samplePod({ status: { phase: "Pending" } }), [])).toBeUndefined();
    const creating = podWith({ waiting: { reason: "ContainerCreating" } }, "Pending");
    expect(whyNotStarted(creating, [warning("Other", "x")])).toBeUndefined();
  });
});

test("the message stays within what a condition takes", () => {
  const long = `Error creating: admission webhook "a" ${"x".repeat(5000)}`;
  const { message = "" } = whyNoPod([warning("FailedCreate", long)]) ?? {};
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
});
