import { expect } from "vitest";
import { Pods } from "../../src/kube/builtin.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { PATIENCE } from "./world/api.ts";
import { refused, taken } from "./world/expectations.ts";
import { script } from "./world/running_pods.ts";
import type { Theme, World } from "./world/world.ts";

/** A pod that runs until it is deleted. */
async function sleeper(world: World, name: string, container: object = {}): Promise<void> {
  const spec = script(world, "echo ready; exec sleep 600", container);
  taken(await world.of(Pods).create({ metadata: { name }, spec }), 201);
  await world.of(Pods).until(name, ({ status }) => status.phase === "Running");
}

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function exec(
  world: World,
  name: string,
  command: readonly string[],
  more: { readonly stdin?: Uint8Array; readonly container?: string } = {},
): Promise<Said> {
  const client = new PodClient({ sender: world.api.sender, clock: systemClock, random: systemRandom });
  const parts = { stdout: "", stderr: "" };
  const { exitCode } = await client.exec(
    { namespace: world.namespace, name },
    {
      command,
      ...more,
      signal: AbortSignal.timeout(PATIENCE),
      onStdout: (chunk) => {
        parts.stdout += Buffer.from(chunk).toString();
      },
      onStderr: (chunk) => {
        parts.stderr += Buffer.from(chunk).toString();
      },
    },
  );
  return { exitCode, ...parts };
}

export const execs: Theme = {
  name: "exec",
  needsNode: true,
  cases: {
    "a command runs in a container, and its outputs are kept apart": async (world) => {
      await sleeper(world, "outputs");
      const said = await exec(world, "outputs", ["sh", "-c", "echo out; echo err >&2"]);
      expect(said).toEqual({ exitCode: 0, stdout: "out\n", stderr: "err\n" });
    },

    "its exit code comes back": async (world) => {
      await sleeper(world, "codes");
      expect(await exec(world, "codes", ["sh", "-c", "exit 7"])).toMatchObject({ exitCode: 7 });
      const killed = await exec(world, "codes", ["sh", "-c", "kill -KILL $$"]);
      expect(killed).toMatchObject({ exitCode: 137 });
    },

    "it reads what it is sent, to the end": async (world) => {
      await sleeper(world, "reads");
      const stdin = Buffer.from("line\n".repeat(10_000));
      const said = await exec(world, "reads", ["sh", "-c", "wc -l"], { stdin });
      expect(said).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\s*10000\n$/) });
    },

    "it has the container's files, folder, environment and name": async (world) => {
      await sleeper(world, "surroundings", {
        command: ["sh", "-c", "echo kept > /tmp/file; exec sleep 600"],
        env: [{ name: "COLOR", value: "red and blue" }],
        workingDir: "/tmp",
      });
      const text =
        "while ! [ -f /tmp/file ]; do :; done; cat file; pwd; echo $COLOR; cat /proc/sys/kernel/hostname";
      const { stdout } = await exec(world, "surroundings", ["sh", "-c", text]);
      expect(stdout).toBe("kept\n/tmp\nred and blue\nsurroundings\n");
    },

    "it runs as the container's user": async (world) => {
      await sleeper(world, "user", { securityContext: { runAsUser: 1234, runAsGroup: 5678 } });
      const text =
        "while read -r name real _; do case $name in Uid:|Gid:) echo $real;; esac; done < /proc/self/status";
      const { stdout } = await exec(world, "user", ["sh", "-c", text]);
      expect(stdout).toBe("1234\n5678\n");
    },

    "words of a command stay as they are": async (world) => {
      await sleeper(world, "words");
      const words = ["a b", "", "'\"$HOME", "ä&c=d"];
      const { stdout } = await exec(world, "words", [
        "sh",
        "-c",
        'for w; do echo "<$w>"; done',
        "sh",
        ...words,
      ]);
      expect(stdout).toBe(words.map((word) => `<${word}>\n`).join(""));
    },

    "a container that does not exist is refused": async (world) => {
      await sleeper(world, "other");
      await expect(exec(world, "other", ["true"], { container: "none" })).rejects.toThrow(
        "container none is not valid for pod other",
      );
    },

    "a pod that does not exist is refused": async (world) => {
      await expect(exec(world, "nobody", ["true"])).rejects.toThrow('pods "nobody" not found');
    },

    "a pod that has ended runs no commands": async (world) => {
      const spec = script(world, "exit 0");
      taken(await world.of(Pods).create({ metadata: { name: "over" }, spec }), 201);
      await world.of(Pods).until("over", ({ status }) => status.phase === "Succeeded");
      await expect(exec(world, "over", ["true"])).rejects.toThrow();
    },

    "a request that does not want the connection is refused": async (world) => {
      await sleeper(world, "plain");
      const answer = await world.api.send("GET", world.of(Pods).sub("exec").path("plain"), {
        query: { command: "true", stdout: true },
      });
      refused(answer, 400, "BadRequest", "Upgrade request required");
    },
  },
};
