import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { Jobs, Secrets } from "../../src/kube/builtin.ts";
import { listen, type ServedRequest } from "../../src/lib/https_server.ts";
import { oneAfterAnother, someDeath } from "./faults_killed_operator.ts";
import { isTriedHere, Moments } from "./faults_moments.ts";
import {
  exec,
  failedBackup,
  filesOf,
  hooked,
  job,
  readyOf,
  untilFile,
  WAITS_FOR_GO,
  workload,
} from "./hooks_stage.ts";
import type { Stage } from "./stage.ts";
import { filledScene, nothingStaged } from "./staging_stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const TIMEOUT = { timeout: 240_000 };
const thaw = exec('fs.rmSync("frozen", { force: true }); fs.writeFileSync("thawed", "");');

/** What is done around the capture of volumes: in the workload, beside it, and elsewhere. */
export function hooks(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  const scene = async (): Promise<Stage> => {
    const stage = await filledScene(world);
    await workload(stage);
    return stage;
  };
  const release = (stage: Stage) =>
    world.put({ namespace: stage.namespace, name: "data" }, [{ path: "go", file: { text: "" } }]);

  test.each(["Snapshot", "Clone", "Direct"] as const)(
    "a command in the workload is around the capture, and nothing of it stays (%s)",
    TIMEOUT,
    async (copyMethod) => {
      await using stage = await scene();
      const freeze = exec('fs.writeFileSync("frozen", "");', { container: "main" });
      const hooks = { beforeSnapshot: [freeze], afterSnapshot: [thaw] };
      await hooked(stage, "data", hooks, { copyMethod });
      const { status } = await stage.backup("one", "data");
      expect(status?.hooks).toEqual({
        before: { state: "Succeeded", finished: 1 },
        after: { state: "Succeeded", finished: 1 },
      });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "SourcesQuiesced", status: "True" }),
      );
      expect(await filesOf(stage, "data")).toContain("thawed");
      expect(await filesOf(stage, "data")).not.toContain("frozen");
      await stage.restore("again", { backupRef: { name: "one" } }, "restored");
      const found = await filesOf(stage, "restored");
      expect(found).toContain("frozen");
      expect(found).not.toContain("thawed");
      await nothingStaged(stage);
    },
  );

  test("a hook that fails ends the backup before anything is read, unless it may fail", TIMEOUT, async () => {
    await using stage = await scene();
    const fails = 'console.error("cannot freeze"); process.exit(3);';
    await hooked(stage, "data", { beforeSnapshot: [exec(fails)], afterSnapshot: [thaw] });
    await stage.beginBackup("one", "data");
    const backup = await failedBackup(stage, "one");
    const { reason, message = "" } = readyOf(backup);
    expect(reason).toBe("HookFailed");
    for (const part of ["beforeSnapshot[0] (workloadExec)", "workload-0", "exit code 3", "cannot freeze"]) {
      expect(message).toContain(part);
    }
    expect(backup.status).toMatchObject({
      hooks: { before: { state: "Failed", message }, after: { state: "Succeeded", finished: 1 } },
      failure: { errorClass: "HookFailed", retry: "terminal" },
    });
    expect(backup.status?.snapshots).toBeUndefined();
    expect(await filesOf(stage, "data")).toContain("thawed");
    await nothingStaged(stage);

    const patient = exec(fails, { continueOnFailure: true });
    await hooked(stage, "patient", { beforeSnapshot: [patient] });
    const { status } = await stage.backup("two", "patient");
    expect(status?.hooks?.before).toMatchObject({
      state: "Succeeded",
      message: expect.stringContaining("exit code 3"),
    });
  });

  test("a hook that hangs ends with its time, and one without a pod at once", TIMEOUT, async () => {
    await using stage = await scene();
    const hangs = exec("setInterval(() => {}, 60000)", { timeout: "15s" });
    await hooked(stage, "data", { beforeSnapshot: [hangs], afterSnapshot: [thaw] });
    await stage.beginBackup("hanging", "data");
    const backup = await failedBackup(stage, "hanging");
    expect(readyOf(backup).message).toMatch(/did not end within 15 s.*workload-0/);
    expect(await filesOf(stage, "data")).toContain("thawed");

    const nobody = exec("", { podSelector: { matchLabels: { app: "nobody" } } });
    await hooked(stage, "lonely", { beforeSnapshot: [nobody] });
    await stage.beginBackup("lonely", "lonely");
    expect(readyOf(await failedBackup(stage, "lonely")).message).toContain("no pod matches app=nobody");
  });

  test("a Job runs to its end, and its last words are told", TIMEOUT, async () => {
    await using stage = await scene();
    const beforeSnapshot = [job(stage, 'fs.writeFileSync("dump", "all of it");')];
    const afterSnapshot = [job(stage, 'console.log("nothing to do"); process.exit(4);')];
    await hooked(stage, "data", { beforeSnapshot, afterSnapshot });
    await stage.beginBackup("one", "data");
    const { message } = readyOf(await failedBackup(stage, "one"));
    for (const part of ["afterSnapshot[0] (runJob)", "exit code 4", "nothing to do"]) {
      expect(message).toContain(part);
    }
    expect(await filesOf(stage, "data")).toContain("dump");
    const { items } = await world.client.list(Jobs, { namespace: stage.namespace });
    expect(items.filter(({ metadata }) => metadata.name.includes("before"))).toEqual([]);
  });

  test("a request goes out with a header that the operator never sees", TIMEOUT, async () => {
    await using stage = await scene();
    const asked: Pick<ServedRequest, "method" | "path" | "headers" | "body">[] = [];
    const server = await listen({
      host: world.hostAddress,
      port: 0,
      handler: ({ method, path, headers, body }) => {
        asked.push({ method, path, headers, body });
        return path === "/moved"
          ? { status: 302, headers: { location: "/freeze" }, body: "elsewhere" }
          : { status: 200, body: "" };
      },
    });
    try {
      await world.client.create(Secrets, {
        metadata: { namespace: stage.namespace, name: "token" },
        stringData: { word: "open sesame" },
      });
      const url = `http://${world.hostAddress}:${server.port}`;
      const headers = [
        { name: "x-token", valueFrom: { secretKeyRef: { name: "token", key: "word" } } },
        { name: "x-plain", value: "costs $(5) $$" },
      ];
      // It counts from before there is a pod, which may be slow to start.
      const timeout = "2m";
      const freeze = { httpRequest: { url: `${url}/freeze`, headers, body: '{"state":"frozen"}', timeout } };
      const moved = {
        httpRequest: { url: `${url}/moved`, method: "GET" as const, continueOnFailure: true, timeout },
      };
      await hooked(stage, "data", { beforeSnapshot: [freeze], afterSnapshot: [moved] });
      const { status } = await stage.backup("one", "data");
      expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /freeze", "GET /moved"]);
      expect(asked[0]?.headers).toMatchObject({ "x-token": "open sesame", "x-plain": "costs $(5) $$" });
      expect(String(asked[0]?.body)).toBe('{"state":"frozen"}');
      expect(status?.hooks?.after?.message).toContain("HTTP 302");
      expect(JSON.stringify(status)).not.toContain("open sesame");
    } finally {
      await server.close(AbortSignal.abort());
    }
  });

  test("an operator that is killed while a hook runs does not leave it at that", TIMEOUT, async () => {
    await using stage = await scene();
    const beforeSnapshot = [exec(WAITS_FOR_GO)];
    await hooked(stage, "data", { beforeSnapshot, afterSnapshot: [thaw] });
    await stage.beginBackup("one", "data");
    await untilFile(stage, "begun");
    await world.operator.replace();
    const backup = await failedBackup(stage, "one");
    expect(readyOf(backup).message).toContain("whether it did its work is not known");
    expect(await filesOf(stage, "data")).toContain("thawed");

    const repeated = [exec(`fs.appendFileSync("times", "x"); ${WAITS_FOR_GO}`, { repeatable: true })];
    await hooked(stage, "again", { beforeSnapshot: repeated, afterSnapshot: [thaw] });
    await stage.beginBackup("two", "again");
    await untilFile(stage, "times");
    await world.operator.replace();
    await release(stage);
    await stage.until(backupResource, "two", "Succeeded", ["Failed"]);
  });

  test("a backup that is cancelled or deleted meanwhile does what comes after it", TIMEOUT, async () => {
    await using stage = await scene();
    const hooks = { beforeSnapshot: [exec(WAITS_FOR_GO)], afterSnapshot: [thaw] };
    await hooked(stage, "data", hooks);
    await stage.beginBackup("one", "data");
    await untilFile(stage, "begun");
    const key = { namespace: stage.namespace, name: "one" };
    const annotations = { [ANNOTATIONS.cancel]: "true" };
    await world.client.patch(backupResource, key, { type: "merge", patch: { metadata: { annotations } } });
    await release(stage);
    expect(readyOf(await failedBackup(stage, "one")).reason).toBe("Cancelled");
    expect(await filesOf(stage, "data")).toContain("thawed");

    const anew = exec('for (const file of ["go", "thawed", "begun"]) fs.rmSync(file);');
    const slow = { ...hooks, beforeSnapshot: [anew, exec(WAITS_FOR_GO.replace("begun", "here"))] };
    await hooked(stage, "slow", slow);
    await stage.beginBackup("two", "slow");
    await untilFile(stage, "here");
    await world.client.delete(backupResource, { namespace: stage.namespace, name: "two" });
    await release(stage);
    await stage.gone(backupResource, "two");
    expect(await filesOf(stage, "data")).toContain("thawed");
  });

  test.runIf(isTriedHere(1))(
    "operators that die again and again leave no hook undone",
    { timeout: 600_000 },
    async () => {
      const moments = new Moments(17);
      await using stage = await scene();
      const again = { repeatable: true };
      const freeze = exec('fs.rmSync("thawed", { force: true }); fs.writeFileSync("frozen", "");', again);
      const thawAgain = exec('fs.rmSync("frozen", { force: true }); fs.writeFileSync("thawed", "");', again);
      const count = (name: string) => job(stage, `fs.appendFileSync("${name}", "x");`);
      await hooked(stage, "data", {
        beforeSnapshot: [freeze, count("before")],
        afterSnapshot: [count("after"), thawAgain],
      });
      for (let time = 0; time < Moments.times; time++) {
        const deaths = Array.from({ length: 4 }, () => someDeath(moments));
        await moments.seeded(`operators that die at ${JSON.stringify(deaths)}`, async () => {
          const lives = oneAfterAnother(world.operator, deaths);
          await stage.beginBackup(`x${time}`, "data");
          const { status } = await stage.until(backupResource, `x${time}`, "Succeeded", []);
          await lives.end();
          expect(status?.hooks).toMatchObject({ before: { finished: 2 }, after: { finished: 2 } });
          const found = await filesOf(stage, "data");
          expect(found).toContain("thawed");
          expect(found).not.toContain("frozen");
          // However often somebody asked for it, each Job was made once.
          for (const file of ["before", "after"]) {
            const tree = await stage.describe("data");
            expect(tree).toContainEqual(expect.objectContaining({ path: file, size: time + 1 }));
          }
        });
      }
      await nothingStaged(stage);
    },
  );
}
