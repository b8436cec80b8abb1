import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Pod, Pods } from "../../../kube/builtin.ts";
import { HOST_IMAGE, Machine } from "../testing/machine.ts";

const name = { namespace: "default", name: "pod" };
const ended = ({ status }: Pod) => status?.phase === "Succeeded" || status?.phase === "Failed";
const running = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.running;
const waiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.message;

function hasUserNamespaces(): boolean {
  return spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;
}

function podWith(script: string) {
  return {
    metadata: name,
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          name: "main",
          image: HOST_IMAGE,
          command: ["sh", "-c", script],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
}

describe("a pod", { timeout: 120_000 }, () => {
  let machine: Machine | undefined;

  afterEach(async () => {
    await machine?.close();
    machine = undefined;
  });

  // Some kernels and sandboxes refuse user namespaces: such a machine has nothing to test here.
  test.runIf(hasUserNamespaces())("in a user namespace has real mount paths", async () => {
    machine = new Machine({ isolation: "user" });
    await machine.start();
    await machine.client.create(
      Pods,
      podWith("echo kept > /data/file; cat /data/file; echo bye > /dev/termination-log"),
    );
    const pod = await machine.until(Pods, name, ended);
    const { terminated } = pod.status?.containerStatuses?.[0]?.state ?? {};
    expect(terminated).toMatchObject({ exitCode: 0, message: "bye\n" });
    expect(await machine.logs(name)).toBe("kept\n");
  });

  test.runIf(hasUserNamespaces())("in a user namespace runs further commands", async () => {
    machine = new Machine({ isolation: "user" });
    await machine.start();
    await machine.client.create(Pods, podWith("echo kept > /data/file; exec sleep 1000"));
    await machine.until(Pods, name, running);
    const said: string[] = [];
    const { exitCode } = await machine.podClient.exec(name, {
      command: [
        "sh",
        "-c",
        "until cat /data/file; do :; done 2>/dev/null; cat /proc/sys/kernel/hostname; exit 5",
      ],
      signal: AbortSignal.timeout(20_000),
      onStdout: (chunk) => void said.push(Buffer.from(chunk).toString()),
    });
    expect({ exitCode, said: said.join("") }).toEqual({ exitCode: 5, said: "kept\npod\n" });
  });

  test("without namespaces runs no further commands, and says why", async () => {
    machine = new Machine({ isolation: "none", images: () => ({ command: ["sh"], translatesPaths: true }) });
    await machine.start();
    await machine.client.create(Pods, podWith("sleep 1000"));
    await machine.until(Pods, name, running);
    const signal = AbortSignal.timeout(20_000);
    await expect(machine.podClient.exec(name, { command: ["true"], signal })).rejects.toThrow(
      "this machine offers no namespaces",
    );
  });

  test("without namespaces runs with translated paths when its image can", async () => {
    const images = () => ({ command: ["sh"], translatesPaths: true });
    machine = new Machine({ isolation: "none", images });
    await machine.start();
    await machine.client.create(Pods, podWith('printf %s "$HOLDFAST_PATH_MAP"; sleep 1000 & exit 6'));
    const pod = await machine.until(Pods, name, ended);
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(6);
    const map = JSON.parse(await machine.logs(name));
    expect(map["/data"]).toContain(machine.state);
    expect(map["/dev/termination-log"]).toContain(machine.state);
  });

  test.each(["root", "none"] as const)("has its image's files, isolated by %s", async (isolation) => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-image-"));
    const program = join(folder, "greeting");
    writeFileSync(program, "#!/bin/sh\necho hello\n", { mode: 0o755 });
    const files = { "/usr/local/bin/greeting": program };
    const images = () => ({ command: ["sh"], files, translatesPaths: true });
    machine = new Machine({ isolation, images });
    await machine.start();
    await machine.client.create(Pods, podWith("greeting"));
    await machine.until(Pods, name, ended);
    expect(await machine.logs(name)).toBe("hello\n");
    rmSync(folder, { recursive: true });
  });

  test("without namespaces is not run when its image needs real paths", async () => {
    machine = new Machine({ isolation: "none" });
    await machine.start();
    await machine.client.create(Pods, podWith("true"));
    const pod = await machine.until(Pods, name, waiting);
    expect(waiting(pod)).toContain("no mount namespace");
  });
});
