import { expect, test } from "vitest";
import { keyOf } from "../../kube/object.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { CatalogWorld } from "../testing/catalog_world.ts";
import {
  failed,
  NOW,
  REPOSITORIES,
  readyNas,
  repository,
  SETTINGS,
  succeeded,
  taskPlan,
  WRONG_PASSWORD,
} from "../testing/samples.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { TaskView } from "../work/task_view.ts";
import type { Repository } from "./repository.ts";
import { repositoryController } from "./repository_controller.ts";

/** What is written of a repository whose runs end like this, and the tasks that were looked at. */
async function reconciled(object: Repository, ending: TaskState) {
  const world = new CatalogWorld();
  world.put(REPOSITORIES, object);
  const views: TaskView[] = [];
  const room = {
    ...world.room,
    tasks: {
      wake: () => {},
      carryOut: async () => {},
      decide: async (view: TaskView) => {
        views.push(view);
        return taskPlan(view.task.purpose, ending).decision;
      },
    },
    queues: {
      recordHolders: () => {},
      repositories: () => {},
      evidence: () => ({ setbacks: [] }),
      count: () => ({ running: 2, waiting: 1 }),
    },
  } as unknown as EngineRoom;
  const controller = repositoryController<Repository>(room, {
    name: "repositories",
    resource: REPOSITORIES,
    cache: world.cache({ resource: REPOSITORIES }),
    context: async (one, namespace) => ({ repository: one, namespace, settings: SETTINGS, consent: false }),
    also: (decision, _, now) => ({
      ...decision,
      status: { ...decision.status, allowedNamespaceCount: now === NOW ? 7 : 0 },
    }),
  });
  const stop = new AbortController();
  void controller.run(stop.signal, () => {});
  controller.enqueue(keyOf(object));
  for (let turn = 0; turn < 50; turn++) await world.clock.advance(0);
  stop.abort(new Error("the test is over"));
  return { status: world.all(REPOSITORIES)[0]?.status, views, told: world.told };
}

test("a repository of any API is connected to, and says what goes on there, and what its API adds", async () => {
  const answer = succeeded({ init: { snapshots: 3, storedBytes: 10 } });
  const { status, views, told } = await reconciled(repository(), answer);
  expect(views[0]?.task).toMatchObject({
    namespace: "billing",
    owner: { kind: "Repository", name: "nas" },
    work: { work: { init: { create: true } } },
  });
  expect(status).toMatchObject({
    phase: "Ready",
    uniqueID: "id-1",
    runs: { running: 2, waiting: 1 },
    allowedNamespaceCount: 7,
  });
  expect(told).toEqual(["ConnectFromConfig"]);
});

test("one that was there once and cannot be used now is degraded, and is not created again", async () => {
  const { status, views } = await reconciled(readyNas(), failed(WRONG_PASSWORD));
  expect(views[0]?.task.work.work).toEqual({ init: {} });
  expect(status).toMatchObject({ phase: "Degraded", failure: { errorClass: "WrongPassword" } });
});

test("one that is being deleted is left alone", async () => {
  const going = readyNas({ metadata: { deletionTimestamp: "2026-05-24T00:00:00Z" } });
  expect((await reconciled(going, failed(WRONG_PASSWORD))).views).toEqual([]);
});
