import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Pod, Pods } from "../../../kube/builtin.ts";
import type { Processes } from "../../../lib/processes.ts";
import { silentLogger } from "../../../observe/log.ts";
import { HOST_IMAGE, Machine } from "../testing/machine.ts";
import { hostRoot, probeIsolation } from "./isolation.ts";
import { type Launch, launchScript, namespaces, TOOLS_PATH } from "./launch_script.ts";

const isRoot = process.getuid?.() === 0;
const name = { namespace: "default", name: "pod" };
const ended = ({ status }: Pod) => status?.phase === "Succeeded" || status?.phase === "Failed";
const running = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.running;
const waiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.message;

/** Root becomes an ordinary user by these. */
const NOBODY = 65534;
const asOrdinary = isRoot
  ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"]
  : [];

function hasUserNamespaces(as: readonly string[] = []): boolean {
  const [command = "", ...args] = [...as, "unshare", "--user", "--map-root-user", "--mount"];
  return spawnSync(command, [...args, "test", "-x", tmpdir()]).status === 0;
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

/** A folder with a program of an image in it. */
function imageFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-image-")));
  const program = join(folder, "greeting");
  writeFileSync(program, "#!/bin/sh\necho hello\n", { mode: 0o755 });
  return { folder, program, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
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

  // Root may add to /usr in any case: what others need for that is tried below.
  test.runIf(hasUserNamespaces())("in a user namespace has its image's files", async () => {
    using image = imageFolder();
    const { program } = image;
    const files = { "/usr/local/bin/greeting": program, "/usr/local/a/b/greeting": program };
    machine = new Machine({ isolation: "user", images: () => ({ command: ["sh"], files }) });
    await machine.start();
    await machine.client.create(Pods, podWith("greeting; /usr/local/a/b/greeting; ls -d /usr/local/share"));
    await machine.until(Pods, name, ended);
    expect(await machine.logs(name)).toBe("hello\nhello\n/usr/local/share\n");
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

  // Root alone has mounts without a user namespace.
  test.each(isRoot ? (["root", "none"] as const) : (["none"] as const))(
    "has its image's files, isolated by %s",
    async (isolation) => {
      using image = imageFolder();
      const files = { "/usr/local/bin/greeting": image.program };
      const images = () => ({ command: ["sh"], files, translatesPaths: true });
      machine = new Machine({ isolation, images });
      await machine.start();
      await machine.client.create(Pods, podWith("greeting"));
      await machine.until(Pods, name, ended);
      expect(await machine.logs(name)).toBe("hello\n");
    },
  );

  test("without namespaces is not run when its image needs real paths", async () => {
    machine = new Machine({ isolation: "none" });
    await machine.start();
    await machine.client.create(Pods, podWith("true"));
    const pod = await machine.until(Pods, name, waiting);
    expect(waiting(pod)).toContain("no mount namespace");
  });
});

describe("mount points in folders of the host", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-places-")));
    mkdirSync(join(folder, "there"));
    symlinkSync("there", join(folder, "link"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const mountAt = (target: string, source = "/x") => ({
    source,
    target,
    readOnly: true,
    type: "file" as const,
  });
  const scriptOf = (isolation: "root" | "user", targets: readonly string[], more: Partial<Launch> = {}) => {
    const launch = {
      folder: "/f",
      argv: ["true"],
      path: "",
      workingDir: "/",
      hostname: "h",
      hidden: [],
      mounts: targets.map((target) => mountAt(target)),
      runAs: { groups: [], noNewPrivileges: true },
      readOnlyRoot: false,
      ...more,
    };
    return launchScript(launch, isolation, hostRoot(launch.mounts));
  };

  test.runIf(hasUserNamespaces(asOrdinary))(
    "are made for an ordinary user where root alone may write",
    () => {
      using image = imageFolder();
      const targets = ["/usr/local/bin/greeting", "/usr/local/a/b/greeting"];
      const mounts = targets.map((target) => mountAt(target, image.program));
      const argv = ["sh", "-c", `${targets.join("; ")}; ls -d /usr/local/share`];
      const launch = { folder: image.folder, argv, path: TOOLS_PATH, mounts };
      writeFileSync(join(image.folder, "launch"), scriptOf("user", [], launch));
      if (isRoot) chownSync(image.folder, NOBODY, NOBODY);
      const [command = "", ...args] = [...asOrdinary, ...namespaces("user"), "sh", "launch"];
      const { stdout } = spawnSync(command, args, { cwd: image.folder, encoding: "utf8" });
      const setup = join(image.folder, "setup");
      expect(stdout, existsSync(setup) ? readFileSync(setup, "utf8") : "it never began").toBe(
        "hello\nhello\n/usr/local/share\n",
      );
    },
  );

  test("are made in the nearest that is there, of which a user namespace's layer has one of its own", () => {
    const targets = [`${folder}/there/file`, `${folder}/new/deep/file`, `${folder}/link/file`, "/file"];
    expect(hostRoot(targets.map((target) => mountAt(target))).places).toEqual([`${folder}/there`, folder]);
    const [, top = "", below = ""] = /^\/([^/]+)(\/.+)/.exec(folder) ?? [];
    for (const place of ["/there", ""]) {
      const made = `mkdir -p 'scratch/${top}/upper${below}${place}'\n`;
      expect(scriptOf("user", targets)).toContain(made);
      expect(scriptOf("root", targets)).not.toContain(made);
    }
  });
});

describe("how pods are isolated", () => {
  /** A machine that makes namespaces only as named; the trial of the others ends as told. */
  async function probed(works: readonly ("root" | "user")[], asRoot: boolean, refusal: Refused = "unshare") {
    const state = mkdtempSync(join(tmpdir(), "holdfast-probe-"));
    const problems: unknown[] = [];
    const log = { ...silentLogger, info: (fields: object) => void problems.push(fields) };
    const processes: Processes = {
      async run(command, args, { cwd = "" } = {}) {
        expect([command, args.slice(-2)]).toEqual(["unshare", ["sh", "launch"]]);
        const finished = { signal: null, stdout: Buffer.of() };
        if (works.includes(args.includes("--user") ? "user" : "root"))
          return { ...finished, code: 0, stderr: "" };
        if (refusal === "missing") throw new Error("unshare could not be started: ENOENT");
        if (refusal === "script") writeFileSync(join(cwd, "setup"), "mount: permission denied\n");
        return { ...finished, code: 1, stderr: "unshare failed: Operation not permitted\n" };
      },
    };
    const isolation = await probeIsolation(processes, state, asRoot, log);
    expect(readdirSync(state)).toEqual([]);
    rmSync(state, { recursive: true });
    return { isolation, problems };
  }
  type Refused = "unshare" | "script" | "missing";

  test.each([
    ["root", ["root", "user"], true],
    ["user", ["user"], true],
    ["user", ["root", "user"], false],
    ["none", [], true],
    ["none", ["root"], false],
  ] as const)("is by %s where what works is %j, as root: %s", async (wanted, works, asRoot) => {
    expect((await probed(works, asRoot)).isolation).toBe(wanted);
  });

  test.each([
    ["unshare", "unshare failed: Operation not permitted"],
    ["script", "mount: permission denied"],
    ["missing", "unshare could not be started: ENOENT"],
  ] as const)("is told with the reason when it is refused by: %s", async (refusal, problem) => {
    const { problems } = await probed([], true, refusal);
    expect(problems).toEqual([
      { isolation: "root", problem },
      { isolation: "user", problem },
    ]);
  });
});
