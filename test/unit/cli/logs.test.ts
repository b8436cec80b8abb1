import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATION_ANNOTATION, OWNER_LABEL, ownerLabel } from "../../../src/core/work/run_labels.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { Pods } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import { CliGround, type OtherAnswer } from "./cli_ground.ts";

const namespace = "default";
let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  await mover(await backup("slow"), "mover");
}, 60_000);

const backups: Resource = backupResource;

async function backup(name: string): Promise<KubeObject> {
  const draft = { metadata: { namespace, name }, spec: { configRef: { name: "c" } } };
  return ground.client.create(backups, draft as Draft<KubeObject>);
}

async function mover(object: KubeObject, name: string): Promise<void> {
  await pod(object, name, { [OPERATION_ANNOTATION]: "snapshot" });
}

async function pod(
  { metadata }: KubeObject,
  name: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  await ground.client.create(Pods, {
    metadata: { namespace, name, annotations, labels: { [OWNER_LABEL]: ownerLabel(metadata) } },
    spec: { containers: [{ name: "mover", image: "mover" }] },
  });
}

async function ends(name: string, status: object): Promise<void> {
  const patch = { type: "merge", patch: { status: { phase: "Failed", ...status } } as object } as const;
  await ground.client.patch(backups, { namespace, name }, patch, { subresource: "status" });
}

afterAll(() => ground[Symbol.asyncDispose]());

const refusal = (code: number, reason: string, message: string): OtherAnswer => ({
  status: code,
  value: { kind: "Status", code, reason, message },
});
const starts = (why: string) =>
  refusal(400, "BadRequest", `container "mover" in pod "mover" is waiting to start: ${why}`);
const hello: OtherAnswer = { status: 200, value: "hello\n" };

/** A server that answers the looks at logs one after the other so, and then always like the last. */
function answers(...each: readonly OtherAnswer[]): HttpSender {
  const left = [...each];
  return ground.answering(({ path }) => {
    if (!path.includes("/log")) return undefined;
    return left.length > 1 ? left.shift() : left[0];
  });
}

/** The same server, where something happens before pods are looked up for the so manieth time. */
function meanwhile(
  sender: HttpSender,
  happens: Readonly<Record<number, () => Promise<unknown>>>,
): HttpSender {
  let looks = 0;
  return {
    close: () => {},
    send: async (request) => {
      if (request.path.includes("/pods?")) await happens[++looks]?.();
      return sender.send(request);
    },
  };
}

const succeeds = (name: string) => () => ends(name, { phase: "Succeeded" });

/** A node that starts the container after so many looks. */
const starting = (looks: number) => answers(...Array(looks).fill(starts("ContainerCreating")), hello);

test("whoever follows a mover waits for its beginning, and for the end of the backup", async () => {
  await mover(await backup("begins"), "begins-mover");
  const sender = meanwhile(starting(2), { 5: succeeds("begins") });
  const ended = await ground.run("logs backup/begins -f --raw", { sender });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
});

test("whoever follows hears every attempt, and is told by the code that it failed", async () => {
  const tried = await backup("tried");
  await mover(tried, "tried-1");
  const again: OtherAnswer = { status: 200, value: "once more\n" };
  const failure = { errorClass: "Full", message: "no room", remedy: "Make room.", retry: "structural" };
  const sender = meanwhile(answers(hello, again), {
    3: () => mover(tried, "tried-2"),
    5: () => ends("tried", { failure, logTail: "of no use now" }),
  });
  const ended = await ground.run("logs backup/tried -f --raw", { sender });
  expect(ended).toMatchObject({ code: 1, stdout: "hello\nonce more\n" });
  expect(ended.stderr).toBe("error: Backup tried has failed\n  why: no room\n  fix: Make room.\n");
});

test("whoever follows hears movers alone: the pod of a hook may be older, and stay", async () => {
  const hooked = await backup("hooked");
  await pod(hooked, "hook");
  await mover(hooked, "hooked-mover");
  const asked: string[] = [];
  const sender = ground.answering(({ path }) => {
    if (!path.includes("/log")) return undefined;
    asked.push(path);
    return hello;
  });
  const ended = await ground.run("logs backup/hooked -f --raw", {
    sender: meanwhile(sender, { 2: succeeds("hooked") }),
  });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(asked).toEqual([expect.stringContaining("/hooked-mover/log")]);
});

test("whoever follows a deletion to its end is told that it ended well, and of any other end that it is one", async () => {
  const gone = (name: string) => () => ground.client.delete(backups, { namespace, name });
  for (const name of ["deleted", "snatched"]) await backup(name);
  await ends("deleted", { phase: "Deleting" });
  const deleted = meanwhile(answers(hello), { 2: gone("deleted") });
  expect(await ground.run("logs backup/deleted -f", { sender: deleted })).toMatchObject({ code: 0 });
  const snatched = meanwhile(answers(hello), { 2: gone("snatched") });
  expect(await ground.run("logs backup/snatched -f", { sender: snatched })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("was deleted while it was followed"),
  });
});

test("whoever follows what has ended well, and left no line, is told no lie", async () => {
  await backup("past");
  await ends("past", { phase: "Succeeded" });
  expect(await ground.run("logs backup/past -f")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await ground.run("logs backup/past")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("holdfast explain backup/past -n default says how it stands"),
  });
});

test("what a mover says gives no orders to the terminal", async () => {
  const sender = answers({ status: 200, value: "\u001b[2Jhello\r\u0007\n" });
  expect(await ground.run("logs backup/slow --raw", { sender })).toMatchObject({
    code: 0,
    stdout: "\ufffd[2Jhello\ufffd\ufffd\n",
  });
});

test("whoever does not is told that it has not begun", async () => {
  const { code, stderr } = await ground.run("logs backup/slow", { sender: starting(1) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: its mover has said nothing yet")]);
  expect(stderr).toContain("fix: Follow it with -f");
});

test("a pod without a node has said nothing, though the server has no complaint", async () => {
  const empty = { status: 204, value: "" };
  await mover(await backup("nodeless"), "nodeless-mover");
  const waited = meanwhile(answers(empty, empty, hello), { 4: succeeds("nodeless") });
  const ended = await ground.run("logs backup/nodeless -f --raw", { sender: waited });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
  const { code, stderr } = await ground.run("logs backup/slow", { sender: answers(empty) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: its mover has said nothing yet")]);
});

test("whoever follows a backup that has no pod waits for it", async () => {
  const early = await backup("early");
  const sender = meanwhile(answers(hello), { 2: () => mover(early, "early-mover"), 3: succeeds("early") });
  const ended = await ground.run("logs backup/early -f --raw", { sender });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
});

test("a mover that cannot start is told why, until its backup ends", async () => {
  await mover(await backup("unpulled"), "unpulled-mover");
  const why = "trying and failing to pull image";
  const sender = meanwhile(answers(starts(why)), { 2: () => ends("unpulled", { logTail: "no image\n" }) });
  const { code, stdout, stderr } = await ground.run("logs backup/unpulled -f", { sender, seen: true });
  expect([code, stdout]).toEqual([1, "no image\n"]);
  expect(stderr).toContain(why);
});

test.each(["", " -f"])("of a pod that went meanwhile there is what the status kept:%s", async (follow) => {
  const name = `gone${follow.trim()}`;
  await mover(await backup(name), `${name}-mover`);
  await ends(name, { logTail: "the last words\n" });
  const sender = answers(refusal(404, "NotFound", "there is no such pod"));
  const ended = await ground.run(`logs backup/${name}${follow}`, { sender });
  expect(ended).toMatchObject({ code: follow ? 1 : 0, stdout: "the last words\n" });
});
