import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Container, PodSpec } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMaps, Events, type Pod, Pods, Secrets } from "../../../kube/builtin.ts";
import { sleep, systemClock } from "../../../lib/clock.ts";
import { HOST_IMAGE, Machine } from "../testing/machine.ts";

const isRoot = process.getuid?.() === 0;
const namespace = "default";

function script(text: string, more: Partial<Container> = {}): Container {
  return { name: "main", image: HOST_IMAGE, command: ["sh", "-c", text], ...more };
}

function podOf(name: string, spec: Partial<PodSpec> & Pick<PodSpec, "containers">) {
  const defaults = { restartPolicy: "Never", terminationGracePeriodSeconds: 1 };
  return { metadata: { name, namespace }, spec: { ...defaults, ...spec } };
}

const ended = ({ status }: Pod) => status?.phase === "Succeeded" || status?.phase === "Failed";
const running = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.running;
const endOf = ({ status }: Pod, index = 0) => status?.containerStatuses?.[index]?.state?.terminated;
const waitOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting;

// A pod of this node is a real process in namespaces of its own, which only root can always make.
describe.runIf(isRoot)("a pod on this machine, as root", { timeout: 120_000 }, () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = new Machine();
    await machine.start();
  });

  afterAll(() => machine.close());

  const run = async (name: string, spec: Partial<PodSpec> & Pick<PodSpec, "containers">) => {
    await machine.client.create(Pods, podOf(name, spec));
    return machine.until(Pods, { namespace, name }, ended);
  };
  const logs = (name: string, options?: object) => machine.logs({ namespace, name }, options);

  test("runs its command, keeps its log and its last words, and succeeds", async () => {
    const pod = await run("good", {
      containers: [script("echo out; echo err >&2; printf bye > /dev/termination-log")],
    });
    expect(pod.status?.phase).toBe("Succeeded");
    expect(endOf(pod)).toMatchObject({ exitCode: 0, reason: "Completed", message: "bye" });
    expect(await logs("good")).toBe("out\nerr\n");
  });

  test("fails with the exit code of its command", async () => {
    const pod = await run("bad", { containers: [script("exit 3")] });
    expect(pod.status?.phase).toBe("Failed");
    expect(endOf(pod)).toMatchObject({ exitCode: 3, reason: "Error" });
  });

  test("that is ended by a signal has 128 and its number as exit code", async () => {
    const pod = await run("signalled", { containers: [script("sh -c 'kill -KILL $$$$'; exit $?")] });
    expect(endOf(pod)).toMatchObject({ exitCode: 137 });
  });

  test("that is killed from outside has 137 as exit code, and nothing of it in its log", async () => {
    const name = "killed";
    await machine.client.create(Pods, podOf(name, { containers: [script("echo alive; exec sleep 1000")] }));
    const { metadata } = await machine.until(Pods, { namespace, name }, running);
    const folder = join(machine.state, "pods", metadata.uid, "containers/main/0");
    while (!existsSync(join(folder, "started"))) await sleep(systemClock, 20);
    process.kill(Number.parseInt(readFileSync(join(folder, "main"), "utf8"), 10), "SIGKILL");
    expect(endOf(await machine.until(Pods, { namespace, name }, ended))).toMatchObject({ exitCode: 137 });
    expect(await logs(name)).toMatch(/^(alive\n)?$/);
  });

  test("has a machine's name of its own", async () => {
    await run("by-its-name", { containers: [script("cat /proc/sys/kernel/hostname")] });
    await run("otherwise", { hostname: "chosen", containers: [script("cat /proc/sys/kernel/hostname")] });
    expect([await logs("by-its-name"), await logs("otherwise")]).toEqual(["by-its-name\n", "chosen\n"]);
  });

  test("whose command does not exist is told so", async () => {
    const pod = await run("missing", { containers: [script("", { command: ["/not/there"] })] });
    expect(endOf(pod)).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(endOf(pod)?.message).toContain("/not/there");
  });

  test("sees its volumes at their paths, and the host sees nothing of it", async () => {
    await machine.client.create(Secrets, {
      metadata: { namespace, name: "keys" },
      stringData: { password: "s3cret" },
    });
    await machine.client.create(ConfigMaps, {
      metadata: { namespace, name: "settings" },
      data: { "a.conf": "one", "b.conf": "two" },
    });
    const mounts = [
      { name: "keys", mountPath: "/etc/holdfast/keys" },
      { name: "settings", mountPath: "/no/such/place" },
      { name: "all", mountPath: "/var/run/all" },
      { name: "scratch", mountPath: "/scratch", subPath: "deep/er" },
    ];
    const pod = await run("volumes", {
      containers: [
        script(
          "cat /etc/holdfast/keys/password /no/such/place/x /var/run/all/who; stat -c ' %a' /etc/holdfast/keys/password;" +
            "touch /etc/holdfast/keys/new || echo read-only; echo mine > /scratch/file; echo mine > /etc/mine; ls /no/such/place",
          { volumeMounts: mounts },
        ),
      ],
      volumes: [
        { name: "keys", secret: { secretName: "keys", defaultMode: 0o400 } },
        { name: "settings", configMap: { name: "settings", items: [{ key: "b.conf", path: "x" }] } },
        {
          name: "all",
          projected: {
            sources: [
              { secret: { name: "keys" } },
              { downwardAPI: { items: [{ path: "who", fieldRef: { fieldPath: "metadata.name" } }] } },
            ],
          },
        },
        { name: "scratch", emptyDir: {} },
      ],
    });
    expect(pod.status?.phase).toBe("Succeeded");
    expect((await logs("volumes")).split("\n")).toEqual(
      expect.arrayContaining(["s3crettwovolumes 400", "read-only", "x"]),
    );
    expect(existsSync("/etc/mine")).toBe(false);
    expect(existsSync("/no")).toBe(false);
    expect(existsSync("/etc/holdfast/keys")).toBe(false);
  });

  test("sees nothing of other pods, nor of the node", async () => {
    await run("blind", { containers: [script(`ls -A ${machine.state}; ls /proc | grep -c '^[0-9]'`)] });
    expect(Number(await logs("blind"))).toBeLessThan(10);
  });

  test("gets its environment from values, Secrets, ConfigMaps and its own fields", async () => {
    await machine.client.create(Secrets, {
      metadata: { namespace, name: "env" },
      stringData: { A: "from-secret" },
    });
    await machine.client.create(ConfigMaps, {
      metadata: { namespace, name: "env" },
      data: { B: "from-map" },
    });
    await run("environment", {
      containers: [
        script('echo "$A $X_B $C $D $E" "$1"', {
          command: ["sh", "-c", 'echo "$A $X_B $C $D $E $1"', "sh", "$(C)-$(NONE)-$$(C)"],
          env: [
            { name: "C", value: "c" },
            { name: "D", value: "$(C)d" },
            { name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
          ],
          envFrom: [{ secretRef: { name: "env" } }, { prefix: "X_", configMapRef: { name: "env" } }],
        }),
      ],
    });
    expect(await logs("environment")).toBe("from-secret from-map c cd default c-$(NONE)-$(C)\n");
  });

  test("waits for a Secret that it names, says so, and goes on when it is there", async () => {
    const env = [{ name: "A", valueFrom: { secretKeyRef: { name: "late", key: "k" } } }];
    await machine.client.create(Pods, podOf("patient", { containers: [script("echo $A", { env })] }));
    const name = { namespace, name: "patient" };
    const waiting = await machine.until(
      Pods,
      name,
      (pod) => waitOf(pod)?.reason === "CreateContainerConfigError",
    );
    expect(waitOf(waiting)?.message).toBe('secret "late" not found');
    expect(waiting.status?.phase).toBe("Pending");
    await machine.client.create(Secrets, {
      metadata: { namespace, name: "late" },
      stringData: { k: "here" },
    });
    await machine.until(Pods, name, ended);
    expect(await logs("patient")).toBe("here\n");
  });

  test("with an image that stands for nothing here says so", async () => {
    await machine.client.create(Pods, podOf("foreign", { containers: [{ name: "main", image: "who:1" }] }));
    const pod = await machine.until(Pods, { namespace, name: "foreign" }, (p) => waitOf(p)?.message);
    expect(waitOf(pod)).toEqual({
      reason: "ErrImageNeverPull",
      message: 'Container image "who:1" cannot run on this machine: it stands for no program here',
    });
  });

  test("mounts no folder of the host unless that is allowed", async () => {
    const volumes = [{ name: "host", hostPath: { path: "/etc" } }];
    const volumeMounts = [{ name: "host", mountPath: "/host" }];
    await machine.client.create(
      Pods,
      podOf("curious", { containers: [script("true", { volumeMounts })], volumes }),
    );
    const events = async () => (await machine.client.list(Events, { namespace })).items;
    await expect
      .poll(events, { timeout: 10_000 })
      .toContainEqual(
        expect.objectContaining({ reason: "FailedMount", message: expect.stringContaining("not allowed") }),
      );
  });

  test("sees a folder of the host where that is allowed, and goes on when a command in it says so", async () => {
    const host = new Machine({ allowHostPath: true });
    try {
      await host.start();
      const folder = join(host.state, "of-the-host");
      mkdirSync(folder);
      writeFileSync(join(folder, "file"), "from the host\n");
      const wait = "until [ -e /tmp/start ]; do sleep 0.05; done; cat /host/file; touch /host/new || exit 4";
      const volumes = [
        { name: "host", hostPath: { path: folder, type: "Directory" } },
        { name: "tmp", emptyDir: {} },
      ];
      const volumeMounts = [
        { name: "host", mountPath: "/host", readOnly: true, mountPropagation: "HostToContainer" },
        { name: "tmp", mountPath: "/tmp" },
      ];
      const name = { namespace, name: "reader" };
      await host.client.create(
        Pods,
        podOf(name.name, {
          nodeName: "this-machine",
          containers: [script(wait, { volumeMounts })],
          volumes,
        }),
      );
      await host.until(Pods, name, running);
      const command = ["sh", "-c", ": > /tmp/start"];
      const { signal } = new AbortController();
      expect(await host.podClient.exec(name, { command, signal })).toMatchObject({ exitCode: 0 });
      const pod = await host.until(Pods, name, ended);
      expect(await host.logs(name)).toContain("from the host\n");
      expect(endOf(pod)).toMatchObject({ exitCode: 4 });
      expect(readdirSync(folder)).toEqual(["file"]);
    } finally {
      await host.close();
    }
  });

  test("runs as the user and with the groups that it names, without privileges", async () => {
    await run("user", {
      securityContext: { runAsUser: 1234, runAsGroup: 2345, supplementalGroups: [77], fsGroup: 88 },
      containers: [
        script(
          "id -u; id -g; id -G; grep CapEff /proc/self/status; stat -c %g /data; touch /data/x && stat -c %g /data/x",
          {
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ),
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    });
    expect((await logs("user")).split("\n")).toEqual([
      "1234",
      "2345",
      "2345 77 88",
      "CapEff:\t0000000000000000",
      "88",
      "88",
      "",
    ]);
  });

  test("as root has the capabilities that it asks for, and no others", async () => {
    await run("capable", {
      containers: [
        script("grep CapEff /proc/self/status", {
          securityContext: { capabilities: { drop: ["ALL"], add: ["CHOWN"] }, readOnlyRootFilesystem: true },
        }),
      ],
    });
    expect(await logs("capable")).toBe("CapEff:\t0000000000000001\n");
  });

  test("with a read-only root writes only to its volumes", async () => {
    await run("tight", {
      containers: [
        script(
          "for d in / /etc /usr /var /run; do touch $d/x 2>/dev/null && echo wrote $d; done; touch /data/x /tmp/x && echo fine",
          {
            securityContext: { readOnlyRootFilesystem: true },
            volumeMounts: ["/data", "/tmp"].map((mountPath) => ({ name: "data", mountPath })),
          },
        ),
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    });
    expect(await logs("tight")).toBe("fine\n");
  });

  test("that must not run as root and would is not started", async () => {
    const securityContext = { runAsNonRoot: true };
    await machine.client.create(Pods, podOf("careful", { containers: [script("true")], securityContext }));
    const pod = await machine.until(Pods, { namespace, name: "careful" }, (p) => waitOf(p)?.message);
    expect(waitOf(pod)?.message).toContain("runAsNonRoot");
  });

  test("runs its init containers one by one, then the others together", async () => {
    const volumeMounts = [{ name: "s", mountPath: "/s" }];
    const pod = await run("stages", {
      initContainers: [
        script("echo 1 >> /s/order; sleep 0.2", { name: "first", volumeMounts }),
        script("echo 2 >> /s/order", { name: "second", volumeMounts }),
      ],
      containers: [
        script("until [ -e /s/other ]; do sleep 0.05; done; cat /s/order", { name: "a", volumeMounts }),
        script("touch /s/other", { name: "b", volumeMounts }),
      ],
      volumes: [{ name: "s", emptyDir: {} }],
    });
    expect(pod.status?.phase).toBe("Succeeded");
    expect(await logs("stages", { container: "a" })).toBe("1\n2\n");
    await expect(logs("stages")).rejects.toThrow(
      "a container name must be specified for pod stages, choose one of: [a b] or one of the init containers: [first second]",
    );
  });

  test("fails with its init container", async () => {
    const pod = await run("stuck", {
      initContainers: [script("exit 9", { name: "first" })],
      containers: [script("true")],
    });
    expect(pod.status?.phase).toBe("Failed");
    expect(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(9);
  });

  test("is restarted on failure, and keeps the log of the run before", async () => {
    const text = "if [ -e /s/again ]; then echo second; else touch /s/again; echo first; exit 1; fi";
    const pod = await run("stubborn", {
      restartPolicy: "OnFailure",
      containers: [script(text, { volumeMounts: [{ name: "s", mountPath: "/s" }] })],
      volumes: [{ name: "s", emptyDir: {} }],
    });
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(await logs("stubborn")).toBe("second\n");
    expect(await logs("stubborn", { previous: true })).toBe("first\n");
    await expect(logs("good", { previous: true })).rejects.toThrow(
      'previous terminated container "main" in pod "good" not found',
    );
  });

  test("gets time to end when it is deleted, and everything of it is gone afterwards", async () => {
    const name = { namespace, name: "polite" };
    const text = "trap 'echo ending; touch /s/ended; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    await machine.client.create(
      Pods,
      podOf("polite", {
        terminationGracePeriodSeconds: 30,
        containers: [script(text, { volumeMounts: [{ name: "s", mountPath: "/s" }] })],
        volumes: [{ name: "s", emptyDir: {} }],
      }),
    );
    const { uid } = (await machine.until(Pods, name, running)).metadata;
    await expect.poll(() => logs("polite"), { timeout: 10_000 }).toContain("ready");
    const following = machine.logs(name, { follow: true });
    await machine.client.delete(Pods, name);
    await machine.untilGone(Pods, name);
    expect(await following).toBe("ready\nending\n");
    await expect.poll(() => readdirSync(join(machine.state, "pods")), { timeout: 10_000 }).not.toContain(uid);
  });

  test("that does not end by itself is killed with all that it started", async () => {
    const name = { namespace, name: "deaf" };
    const text = "trap '' TERM; setsid sleep 987 & echo ready; while :; do sleep 0.05; done";
    await machine.client.create(Pods, podOf("deaf", { containers: [script(text)] }));
    await machine.until(Pods, name, running);
    await expect.poll(() => logs("deaf"), { timeout: 10_000 }).toContain("ready");
    await expect.poll(commands, { timeout: 10_000 }).toContain("sleep 987");
    await machine.client.delete(Pods, name);
    await machine.untilGone(Pods, name);
    await expect.poll(commands, { timeout: 10_000 }).not.toContain("sleep 987");
  });

  test("past its deadline is stopped and has failed", async () => {
    const pod = await run("late", { activeDeadlineSeconds: 1, containers: [script("exec sleep 100")] });
    expect(pod.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });

  test("loses no line of a busy log when the node stops and starts again", async () => {
    const name = { namespace, name: "busy" };
    await machine.client.create(Pods, podOf("busy", { containers: [script("exec seq 1 400000")] }));
    await expect.poll(() => logs("busy", { tailLines: 1 }).catch(() => ""), { timeout: 10_000 }).not.toBe("");
    await machine.stop();
    await machine.start();
    await machine.until(Pods, name, ended);
    const numbers = (await logs("busy")).trim().split("\n").map(Number);
    expect(numbers.at(-1)).toBe(400_000);
    expect(numbers.findIndex((n, i) => i > 0 && n !== (numbers[i - 1] ?? 0) + 1)).toBe(-1);
  });

  test("goes on while the node is away, and its log and its end are not lost", async () => {
    const name = { namespace, name: "lasting" };
    const text = "echo one; until [ -e /s/go ]; do sleep 0.05; done; echo two; exit 5";
    const spec = {
      containers: [script(text, { volumeMounts: [{ name: "s", mountPath: "/s" }] })],
      volumes: [{ name: "s", emptyDir: {} }],
    };
    await machine.client.create(Pods, podOf("lasting", spec));
    const { uid } = (await machine.until(Pods, name, running)).metadata;
    await expect.poll(() => logs("lasting"), { timeout: 10_000 }).toBe("one\n");
    await machine.stop();
    const folder = join(machine.state, "pods", uid);
    writeFileSync(join(folder, "volumes", "kubernetes.io~empty-dir", "s", "go"), "");
    await expect
      .poll(() => existsSync(join(folder, "containers/main/0/exit")), { timeout: 10_000 })
      .toBe(true);
    await machine.start();
    const pod = await machine.until(Pods, name, ended);
    expect(endOf(pod)).toMatchObject({ exitCode: 5, reason: "Error" });
    expect(await logs("lasting")).toBe("one\ntwo\n");
  });

  test("is followed on when the node comes back", async () => {
    const name = { namespace, name: "steady" };
    const text = "trap 'exit 4' TERM; n=0; while :; do n=$((n+1)); echo $n; sleep 0.05; done";
    await machine.client.create(
      Pods,
      podOf("steady", { terminationGracePeriodSeconds: 30, containers: [script(text)] }),
    );
    await machine.until(Pods, name, running);
    await expect.poll(() => logs("steady"), { timeout: 10_000 }).toContain("2\n");
    await machine.stop();
    await machine.start();
    await expect
      .poll(async () => (await logs("steady")).split("\n").length, { timeout: 10_000 })
      .toBeGreaterThan(20);
    const numbers = (await logs("steady")).trim().split("\n").map(Number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    await machine.client.delete(Pods, name);
    await machine.untilGone(Pods, name);
  });

  test("that vanished while the node was away has failed, and it says that nobody knows how", async () => {
    const name = { namespace, name: "victim" };
    await machine.client.create(Pods, podOf("victim", { containers: [script("exec sleep 986")] }));
    const { uid } = (await machine.until(Pods, name, running)).metadata;
    await expect.poll(commands, { timeout: 10_000 }).toContain("sleep 986");
    await machine.stop();
    const record = readFileSync(join(machine.state, "pods", uid, "containers/main/0/keeper"), "utf8");
    process.kill(-Number.parseInt(record, 10), "SIGKILL");
    await machine.start();
    const pod = await machine.until(Pods, name, ended);
    expect(endOf(pod)).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" });
  });

  test("that was deleted while the node was away is ended when it comes back", async () => {
    const name = { namespace, name: "orphan" };
    await machine.client.create(Pods, podOf("orphan", { containers: [script("exec sleep 985")] }));
    await machine.until(Pods, name, running);
    await expect.poll(commands, { timeout: 10_000 }).toContain("sleep 985");
    await machine.stop();
    await machine.client.delete(Pods, name, { gracePeriodSeconds: 0 });
    await machine.start();
    await expect.poll(commands, { timeout: 10_000 }).not.toContain("sleep 985");
  });
});

/** The command lines of all processes of this machine. */
function commands(): readonly string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
      } catch {
        return "";
      }
    });
}
