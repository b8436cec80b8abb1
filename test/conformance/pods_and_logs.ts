import { expect } from "vitest";
import { ConfigMaps, Pods, Secrets } from "../../src/kube/builtin.ts";
import { eventually } from "./world/api.ts";
import { condition, refused, taken } from "./world/expectations.ts";
import { containerOf, logOf, output, runPod, script } from "./world/running_pods.ts";
import type { Theme } from "./world/world.ts";

export const podsAndLogs: Theme = {
  name: "pods and logs",
  needsNode: true,
  cases: {
    "a pod has its defaults": async (world) => {
      const spec = { containers: [{ name: "main", image: "none:latest" }] };
      const made = taken(
        await world.of(Pods).create({ metadata: { name: "defaults" }, spec }, { dryRun: "All" }),
        201,
      );
      expect(made.spec).toMatchObject({
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        serviceAccountName: "default",
        schedulerName: "default-scheduler",
        enableServiceLinks: true,
        containers: [
          {
            imagePullPolicy: "Always",
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            resources: {},
          },
        ],
      });
      expect(made.status).toMatchObject({ phase: "Pending" });
    },

    "a pod that ends well has succeeded": async (world) => {
      const pod = await runPod(world, "well", script(world, "exit 0"));
      expect(pod.status).toMatchObject({ phase: "Succeeded", startTime: expect.stringMatching(/Z$/) });
      expect(containerOf(pod)).toMatchObject({
        name: "main",
        ready: false,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 0,
            reason: "Completed",
            startedAt: expect.stringMatching(/Z$/),
            finishedAt: expect.stringMatching(/Z$/),
          },
        },
      });
      expect(condition(pod, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
      expect(pod.spec.nodeName).toMatch(/./);
    },

    "a pod that ends badly has failed, with its exit code": async (world) => {
      const pod = await runPod(world, "badly", script(world, "exit 3"));
      expect(pod.status.phase).toBe("Failed");
      expect(containerOf(pod)?.state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    },

    "a pod that runs is running and ready": async (world) => {
      taken(
        await world.of(Pods).create({ metadata: { name: "runs" }, spec: script(world, "sleep 600") }),
        201,
      );
      const pod = await world.of(Pods).until("runs", ({ status }) => status.phase === "Running");
      expect(condition(pod, "Ready")?.status).toBe("True");
      expect(containerOf(pod)).toMatchObject({
        ready: true,
        state: { running: { startedAt: expect.any(String) } },
      });
      taken(await world.of(Pods).delete("runs"));
      await world.of(Pods).untilGone("runs");
    },

    "a termination message comes from its file": async (world) => {
      const pod = await runPod(world, "message", script(world, "printf 'all said' > /dev/termination-log"));
      expect(containerOf(pod)?.state.terminated?.message).toBe("all said");
    },

    "a termination message has its own path, and keeps its last 4096 bytes": async (world) => {
      const container = { terminationMessagePath: "/tmp/last-words" };
      const text = "i=0; while [ $i -lt 500 ]; do printf '0123456789'; i=$((i+1)); done > /tmp/last-words";
      const pod = await runPod(world, "long-message", script(world, text, container));
      expect(containerOf(pod)?.state.terminated?.message).toBe("0123456789".repeat(410).slice(-4096));
    },

    "without a file the log may be the message": async (world) => {
      const container = { terminationMessagePolicy: "FallbackToLogsOnError" };
      const pod = await runPod(world, "fallback", script(world, "echo from the log; exit 1", container));
      expect(containerOf(pod)?.state.terminated?.message).toBe("from the log\n");
    },

    "arguments follow the command, in the working folder": async (world) => {
      const container = { command: ["sh", "-c"], args: ["pwd; echo $0", "zero"], workingDir: "/tmp" };
      expect(await output(world, "arguments", script(world, "", container))).toBe("/tmp\nzero\n");
    },

    "the environment comes from values, Secrets, ConfigMaps and the pod itself": async (world) => {
      taken(
        await world
          .of(Secrets)
          .create({ metadata: { name: "env" }, stringData: { word: "hush", other: "x" } }),
      );
      taken(await world.of(ConfigMaps).create({ metadata: { name: "env" }, data: { COLOR: "red" } }));
      const env = [
        { name: "PLAIN", value: "one" },
        { name: "EXPANDED", value: "$(PLAIN) and $$(PLAIN) and $(NOBODY)" },
        { name: "SECRET", valueFrom: { secretKeyRef: { name: "env", key: "word" } } },
        { name: "OPTIONAL", valueFrom: { secretKeyRef: { name: "none", key: "word", optional: true } } },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "SPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ];
      const envFrom = [{ prefix: "CM_", configMapRef: { name: "env" } }, { secretRef: { name: "env" } }];
      const text = 'echo "$PLAIN|$EXPANDED|$SECRET|$OPTIONAL|$POD|$SPACE|$CM_COLOR|$other"';
      const said = await output(world, "environment", script(world, text, { env, envFrom }));
      expect(said).toBe(`one|one and $(PLAIN) and $(NOBODY)|hush||environment|${world.namespace}|red|x\n`);
    },

    "Secrets and ConfigMaps are files": async (world) => {
      taken(
        await world
          .of(Secrets)
          .create({ metadata: { name: "files" }, stringData: { a: "alpha", b: "beta" } }),
      );
      taken(await world.of(ConfigMaps).create({ metadata: { name: "files" }, data: { c: "gamma" } }));
      const volumes = [
        {
          name: "secret",
          secret: { secretName: "files", items: [{ key: "a", path: "deep/er", mode: 0o400 }] },
        },
        { name: "map", configMap: { name: "files" } },
      ];
      const volumeMounts = [
        { name: "secret", mountPath: "/in/secret" },
        { name: "map", mountPath: "/in/map" },
      ];
      const text =
        "cat /in/secret/deep/er; ls /in/secret; cat /in/map/c; stat -L -c ' %a' /in/secret/deep/er";
      expect(await output(world, "files", script(world, text, { volumeMounts }, { volumes }))).toBe(
        "alphadeep\ngamma 400\n",
      );
    },

    "an emptyDir is empty and can be written": async (world) => {
      const volumes = [{ name: "scratch", emptyDir: {} }];
      const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
      const text = "ls -A /scratch; echo x > /scratch/f && cat /scratch/f";
      expect(await output(world, "scratch", script(world, text, { volumeMounts }, { volumes }))).toBe("x\n");
    },

    "init containers go first": async (world) => {
      const volumes = [{ name: "scratch", emptyDir: {} }];
      const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
      const [first] = script(world, "echo first > /scratch/f", { name: "first", volumeMounts }).containers;
      const spec = script(world, "cat /scratch/f", { volumeMounts }, { volumes, initContainers: [first] });
      expect(await output(world, "init", spec)).toBe("first\n");
    },

    "a container that fails is restarted when told to": async (world) => {
      const volumes = [{ name: "scratch", emptyDir: {} }];
      const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
      const text = "test -e /scratch/f || { touch /scratch/f; exit 1; }";
      const spec = script(world, text, { volumeMounts }, { volumes, restartPolicy: "OnFailure" });
      const pod = await runPod(world, "restart", spec);
      expect(pod.status.phase).toBe("Succeeded");
      expect(containerOf(pod)?.restartCount).toBe(1);
    },

    "a Secret that is missing is waited for": async (world) => {
      const env = [{ name: "A", valueFrom: { secretKeyRef: { name: "late", key: "a" } } }];
      const spec = script(world, 'echo "$A"', { env });
      taken(await world.of(Pods).create({ metadata: { name: "late" }, spec }), 201);
      // A kubelet whose cache has not heard of the Secret yet says that first.
      const waiting = { reason: "CreateContainerConfigError", message: 'secret "late" not found' };
      const pod = await world
        .of(Pods)
        .until("late", (o) => containerOf(o)?.state.waiting?.message === waiting.message);
      expect(pod.status.phase).toBe("Pending");
      expect(containerOf(pod)?.state.waiting).toEqual(waiting);
      taken(await world.of(Pods).delete("late", { gracePeriodSeconds: 0 }));
    },

    "an image that is not there is a reason to wait": async (world) => {
      const spec = script(world, "", { image: "docker.io/holdfast/absent:1" });
      taken(await world.of(Pods).create({ metadata: { name: "image" }, spec }), 201);
      const pod = await world
        .of(Pods)
        .until("image", (o) => containerOf(o)?.state.waiting?.message !== undefined);
      expect(pod.status.phase).toBe("Pending");
      expect(containerOf(pod)?.state.waiting).toEqual({
        reason: "ErrImageNeverPull",
        message: expect.stringMatching(/^Container image "docker.io\/holdfast\/absent:1" /),
      });
      taken(await world.of(Pods).delete("image", { gracePeriodSeconds: 0 }));
    },

    "a deleted pod is asked to stop, and goes when it has": async (world) => {
      const text = "trap 'echo bye; exit 0' TERM; echo hello; while true; do sleep 0.1; done";
      const spec = script(world, text, {}, { terminationGracePeriodSeconds: 30 });
      taken(await world.of(Pods).create({ metadata: { name: "stop" }, spec }), 201);
      await eventually("the script runs", async () => {
        const value = await logOf(world, "stop");
        return { done: value === "hello\n", value };
      });
      const log = logOf(world, "stop", { follow: true });
      const deleted = taken(await world.of(Pods).delete("stop"), 200);
      expect(deleted.metadata.deletionGracePeriodSeconds).toBe(30);
      expect(await log).toBe("hello\nbye\n");
      await world.of(Pods).untilGone("stop");
    },

    "a pod that does not stop is killed after its grace": async (world) => {
      const spec = script(world, "trap '' TERM; while true; do sleep 0.1; done");
      taken(await world.of(Pods).create({ metadata: { name: "stubborn" }, spec }), 201);
      await world.of(Pods).until("stubborn", ({ status }) => status.phase === "Running");
      taken(await world.of(Pods).delete("stubborn"), 200);
      await world.of(Pods).untilGone("stubborn");
    },

    "a pod that takes too long has failed": async (world) => {
      const pod = await runPod(
        world,
        "deadline",
        script(world, "sleep 600", {}, { activeDeadlineSeconds: 1 }),
      );
      expect(pod.status).toMatchObject({
        phase: "Failed",
        reason: "DeadlineExceeded",
        message: "Pod was active on the node longer than the specified deadline",
      });
      taken(await world.of(Pods).delete("deadline"));
    },

    "a log has both outputs, and can be cut": async (world) => {
      await runPod(world, "log", script(world, "echo one; echo two >&2; echo three"));
      expect((await logOf(world, "log")).split("\n").sort()).toEqual(["", "one", "three", "two"]);
      expect(await logOf(world, "log", { tailLines: 1 })).toMatch(/^(one|two|three)\n$/);
      expect(await logOf(world, "log", { tailLines: 0 })).toBe("");
      expect(await logOf(world, "log", { limitBytes: 2 })).toMatch(/^(on|tw|th)$/);
      expect(await logOf(world, "log", { container: "main", sinceSeconds: 600 })).toContain("three\n");
      const stamped = await logOf(world, "log", { timestamps: true });
      expect(stamped.split("\n")[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z (one|two|three)$/);
    },

    "a followed log ends with the container": async (world) => {
      const spec = script(world, "echo one; sleep 1; echo two");
      taken(await world.of(Pods).create({ metadata: { name: "followed" }, spec }), 201);
      await world
        .of(Pods)
        .until(
          "followed",
          (o) => containerOf(o)?.state.waiting === undefined && containerOf(o) !== undefined,
        );
      expect(await logOf(world, "followed", { follow: true })).toBe("one\ntwo\n");
    },

    "there is no log of what is not there": async (world) => {
      const log = (name: string, query = {}) =>
        world.api.send("GET", world.of(Pods).sub("log").path(name), { query });
      refused(await log("nobody"), 404, "NotFound", 'pods "nobody" not found');
      await runPod(world, "logged", script(world, "true"));
      refused(
        await log("logged", { container: "other" }),
        400,
        "BadRequest",
        "container other is not valid for pod logged",
      );
      refused(
        await log("logged", { previous: true }),
        400,
        "BadRequest",
        'previous terminated container "main" in pod "logged" not found',
      );
    },

    "there is no log of a container that waits": async (world) => {
      const spec = script(world, "", { image: "docker.io/holdfast/absent:2" });
      taken(await world.of(Pods).create({ metadata: { name: "waiting" }, spec }), 201);
      await world.of(Pods).until("waiting", (o) => containerOf(o)?.state.waiting?.message !== undefined);
      refused(
        await world.api.send("GET", world.of(Pods).sub("log").path("waiting")),
        400,
        "BadRequest",
        /^container "main" in pod "waiting" is waiting to start: /,
      );
      taken(await world.of(Pods).delete("waiting", { gracePeriodSeconds: 0 }));
    },
  },
};
