import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { ConfigMaps, Jobs, Namespaces, PersistentVolumeClaims, Pods } from "../../src/kube/builtin.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { messageOf } from "../../src/lib/result.ts";
import { testEngines } from "../../tools/images/test_engines.ts";
import { ended, HoldfastHome } from "./holdfast_home.ts";

/* `npm start` as people use it: a process, a folder, a kubeconfig. */

let home: HoldfastHome;
beforeEach(() => {
  home = new HoldfastHome();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

describe("npm start", () => {
  // Owners are only root's to give back.
  test.runIf(process.getuid?.() === 0)(
    "backs a volume up, destroys it, and proves its restore",
    {
      timeout: 300_000,
    },
    async () => {
      const { output, exit } = home.runProgram("tools/run/start.ts", ["--once"], {
        HOLDFAST_PROGRAMS: JSON.stringify(testEngines("shipped")),
      });
      expect(await exit, output.join("\n")).toBe(0);
      expect(output.join("\n")).toMatch(
        /✓ (\d+) of \1 entries, .* are identical in content, owner, mode, time/,
      );
      // The README shows what it prints, with other figures.
      const steady = (line: string) => line.replaceAll(/\b[0-9a-f]{12}\b|[\d.]+/g, "…").trimEnd();
      const shown =
        /^A volume is backed up[\s\S]*?(?=^```)/m.exec(readFileSync("README.md", "utf8"))?.[0] ?? "";
      const lines = shown.split("\n").filter(Boolean).map(steady);
      expect(lines.length).toBeGreaterThan(10);
      expect(output.filter(Boolean).map(steady)).toEqual(expect.arrayContaining(lines));
    },
  );

  test.runIf(process.getuid?.() === 0)(
    "ends with 1, and says what differs, when a single file came back otherwise",
    { timeout: 300_000 },
    async () => {
      const programs = testEngines();
      const careless = join(home.folder, "kopia");
      // A pod may not see where kopia lies, and sees it in restic's place, which nobody needs.
      const script = `#!/bin/sh
kopia=${programs.kopia}
[ -x "$kopia" ] || kopia=/usr/local/bin/restic
"$kopia" "$@"
code=$?
[ "$1" = restore ] && for arg; do
  [ -d "$arg" ] && printf x >> "$(/usr/bin/find "$arg" -type f -links 1 -size +0 | /usr/bin/head -n 1)"
done
exit $code
`;
      writeFileSync(careless, script, { mode: 0o755 });
      const { output, exit } = home.runProgram("tools/run/start.ts", ["--once"], {
        HOLDFAST_PROGRAMS: JSON.stringify({ ...programs, kopia: careless, restic: programs.kopia }),
      });
      expect(await exit, output.join("\n")).toBe(1);
      expect(output.join("\n")).toMatch(/✗ \d+ differences? after the restore/);
    },
  );

  test("says what failed, and ends with 1, when the demonstration cannot be given", async () => {
    const { output, exit } = home.run("--once");
    expect(await exit).toBe(1);
    expect(output.join("\n")).toContain("✗ HOLDFAST_MOVER names no bundled mover");
  });

  test("refuses an option that it does not know, in a sentence, before anything is begun", async () => {
    const { output, exit } = home.run("--no-dmeo");
    expect(await exit).toBe(2);
    expect(output.join("\n")).toMatch(/^Unknown option '--no-dmeo'\nThe options are --no-demo, --once/);
  });

  test("says how to use it, and ends by itself with --once", async () => {
    const { output, exit } = home.run("--once", "--no-demo");
    expect(await exit).toBe(0);
    expect(output.join("\n")).toContain(`export KUBECONFIG=${join(home.folder, "kubeconfig")}`);
    const shown = readFileSync("README.md", "utf8").match(/^ {2}(?:kubectl|npm) .*$/gm) ?? [];
    expect(shown).toHaveLength(2);
    expect(output).toEqual(expect.arrayContaining(shown));
    expect(statSync(join(home.folder, "kubeconfig")).mode & 0o077).toBe(0);
    expect(statSync(home.folder).mode & 0o077).toBe(0);
  });

  test.each([
    ["the user's data folder", { XDG_DATA_HOME: "data" }, "data/holdfast"],
    ["the usual place of that", { XDG_DATA_HOME: "", HOME: "." }, ".local/share/holdfast"],
  ])("has its state in %s where nothing else is said", async (_, env, place) => {
    const at = Object.entries(env).map(([name, path]) => [name, path && join(home.folder, path)]);
    const { output, exit } = home.runProgram("src/main/embedded.ts", ["--once", "--no-demo"], {
      ...Object.fromEntries(at),
      HOLDFAST_HOME: "",
    });
    expect(await exit, output.join("\n")).toBe(0);
    expect(output.join("\n")).toContain(`${place}/kubeconfig`);
    expect(existsSync(join(home.folder, place, "kubeconfig"))).toBe(true);
  });

  test("keeps its state over a stop, and its kubeconfig works again after a start", async () => {
    const first = await home.start();
    const before = await home.client();
    await before.client.create(Namespaces, { metadata: { name: "kept" } });
    before.sender.close();
    await ended(first.child, "SIGTERM");
    expect(first.child.exitCode).toBe(0);
    await home.start();
    const after = await home.client();
    expect((await after.client.get(Namespaces, { name: "kept" })).status?.phase).toBe("Active");
    after.sender.close();
  });

  // Mount paths are real only where the machine lets a pod have a file system of its own: as root, always.
  test.runIf(process.getuid?.() === 0)("runs the example of the documentation", async () => {
    await home.start();
    const { client: api, sender } = await home.client();
    const manifests = parseAllDocuments(readFileSync("examples/embedded/hello.yaml", "utf8"));
    const [claim, job] = manifests.map((document) => document.toJS());
    const namespace = "default";
    await api.create(PersistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, namespace } });
    await api.create(Jobs, { ...job, metadata: { ...job.metadata, namespace } });
    while (!(await api.get(Jobs, { namespace, name: "hello" })).status?.completionTime) await pause(50);
    const [pod] = (await api.list(Pods, { namespace, labelSelector: "job-name=hello" })).items;
    let log = "";
    const pods = new PodClient({ sender, clock, random });
    const { signal } = new AbortController();
    for await (const chunk of pods.logs({ namespace, name: pod?.metadata.name ?? "" }, { signal }))
      log += Buffer.from(chunk);
    expect(log).toBe("hello from a process with a volume\n");
    sender.close();
  });

  test("refuses to run twice on one folder, and names the other", async () => {
    const first = await home.start();
    const { output, exit } = home.run("--no-demo");
    expect(await exit).toBe(1);
    expect(output.join("\n")).toContain(String(first.child.pid));
  });

  test("answers nobody without the token", async () => {
    await home.start();
    const kubeconfig = readFileSync(join(home.folder, "kubeconfig"), "utf8");
    const [, server = ""] = /server: "([^"]+)"/.exec(kubeconfig) ?? [];
    const [, ca = ""] = /certificate-authority-data: (\S+)/.exec(kubeconfig) ?? [];
    const { HttpsSender } = await import("../../src/lib/https_sender.ts");
    const sender = new HttpsSender({ url: server, tls: { ca: Buffer.from(ca, "base64").toString() } });
    const ask = async (headers: Record<string, string>) =>
      (await sender.send({ method: "GET", path: "/api/v1/secrets", headers })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: "Bearer wrong" })).toBe(401);
    sender.close();
  });

  // A small file system of its own, which ends with the process.
  const mounted = 'mount -t tmpfs -o size=12m none "$0"; exec "$@"';
  const onSmallDisk = ["unshare", "--mount", "--map-root-user", "sh", "-ec", mounted];
  const mountable = spawnSync("unshare", [...onSmallDisk.slice(1), tmpdir(), "true"]).status === 0;

  test.runIf(mountable)(
    "outlives a full disk: refuses with a sentence, and goes on once there is room",
    async () => {
      await using small = new HoldfastHome(onSmallDisk);
      const { child, output } = await small.start();
      const folder = join(`/proc/${child.pid}/root`, small.folder);
      const { client: api } = await small.client(folder);
      const write = (name: string) =>
        api.create(ConfigMaps, {
          metadata: { namespace: "default", name },
          data: { text: "x".repeat(50_000) },
        });
      await write("before");
      const filler = join(folder, "filler");
      expect(() => writeFileSync(filler, Buffer.alloc(12 * 2 ** 20))).toThrow("ENOSPC");
      const refused: unknown[] = [];
      for (let i = 0; refused.length < 50 && child.exitCode === null; i++)
        await write(`meanwhile-${i}`).catch((error) => refused.push(error));
      expect(new Set(refused.map(messageOf))).toEqual(
        new Set([expect.stringContaining(`the disk of the state folder ${small.folder}/state is full`)]),
      );
      rmSync(filler);
      await write("after");
      expect(child.exitCode, output.join("\n")).toBe(null);
      await expect(write("after")).rejects.toThrow("already exists");
      const log = readFileSync(join(folder, "holdfast.log"), "utf8").split("\n");
      expect(log.pop()).toBe("");
      for (const line of log) JSON.parse(line);
    },
  );

  const rounds = process.env.HOLDFAST_LONG ? 100 : 3;
  test(
    `loses nothing that it acknowledged when it is killed in a storm of writes (${rounds} times)`,
    async () => {
      const acknowledged = new Set<string>();
      for (let round = 0; round < rounds; round++) {
        const { child } = await home.start();
        const { client: writer, sender } = await home.client();
        let stop = false;
        const storm = Array.from({ length: 8 }, async (_, worker) => {
          for (let i = 0; !stop; i++) {
            const name = `r${round}-w${worker}-${i}`;
            const metadata = { namespace: "default", name };
            const done = await writer
              .create(ConfigMaps, { metadata, data: { name } }, { timeout: 500 })
              .catch(() => undefined);
            if (done) acknowledged.add(name);
          }
        });
        // However slow the machine is: it is killed while it acknowledges.
        for (const before = acknowledged.size; acknowledged.size === before; ) await pause(5);
        await pause(100 + random.next() * 300);
        await ended(child, "SIGKILL");
        stop = true;
        await Promise.all(storm);
        sender.close();
      }
      await home.start();
      const { client: reader, sender } = await home.client();
      const { items } = await reader.list(ConfigMaps, { namespace: "default" });
      sender.close();
      const found = new Map(items.map((item) => [item.metadata.name, item.data?.name]));
      expect(acknowledged.size).toBeGreaterThan(0);
      expect([...acknowledged].filter((name) => found.get(name) !== name)).toEqual([]);
    },
    rounds * 200_000,
  );
});
