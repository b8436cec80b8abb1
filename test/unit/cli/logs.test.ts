import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER_LABEL, ownerLabel } from "../../../src/core/work/run_labels.ts";
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

async function mover({ metadata }: KubeObject, name: string): Promise<void> {
  await ground.client.create(Pods, {
    metadata: { namespace, name, labels: { [OWNER_LABEL]: ownerLabel(metadata) } },
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

/** The same server, where something happens before pods are looked up for the second time. */
function meanwhile(sender: HttpSender, happens: () => Promise<unknown>): HttpSender {
  let looks = 0;
  return {
    close: () => {},
    send: async (request) => {
      if (request.path.includes("/pods?") && ++looks === 2) await happens();
      return sender.send(request);
    },
  };
}

/** A node that starts the container after so many looks. */
const starting = (looks: number) => answers(...Array(looks).fill(starts("ContainerCreating")), hello);

test("whoever follows a mover waits for its beginning", async () => {
  const ended = await ground.run("logs backup/slow -f --raw", { sender: starting(2) });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
});

test("whoever does not is told that it has not begun", async () => {
  const { code, stderr } = await ground.run("logs backup/slow", { sender: starting(1) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: its mover has said nothing yet")]);
  expect(stderr).toContain("fix: Follow it with -f");
});

test("a pod without a node has said nothing, though the server has no complaint", async () => {
  const empty = { status: 204, value: "" };
  const ended = await ground.run("logs backup/slow -f --raw", { sender: answers(empty, empty, hello) });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
  const { code, stderr } = await ground.run("logs backup/slow", { sender: answers(empty) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: its mover has said nothing yet")]);
});

test("whoever follows a backup that has no pod waits for it", async () => {
  const early = await backup("early");
  const sender = meanwhile(answers(hello), () => mover(early, "early-mover"));
  const ended = await ground.run("logs backup/early -f --raw", { sender });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
});

test("a mover that cannot start is told why, until its backup ends", async () => {
  await mover(await backup("unpulled"), "unpulled-mover");
  const why = "trying and failing to pull image";
  const sender = meanwhile(answers(starts(why)), () => ends("unpulled", { logTail: "no image\n" }));
  const { code, stdout, stderr } = await ground.run("logs backup/unpulled -f", { sender, seen: true });
  expect([code, stdout]).toEqual([0, "no image\n"]);
  expect(stderr).toContain(why);
});

test.each(["", " -f"])("of a pod that went meanwhile there is what the status kept:%s", async (follow) => {
  const name = `gone${follow.trim()}`;
  await mover(await backup(name), `${name}-mover`);
  await ends(name, { logTail: "the last words\n" });
  const sender = answers(refusal(404, "NotFound", "there is no such pod"));
  const ended = await ground.run(`logs backup/${name}${follow}`, { sender });
  expect(ended).toMatchObject({ code: 0, stdout: "the last words\n" });
});
