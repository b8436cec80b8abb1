import { text } from "node:stream/consumers";
import type { Repository } from "../../src/engines/engine.ts";
import type { Task, TaskSpec } from "../../src/engines/testing/as_user.ts";
import type { MakeEngine } from "../../src/engines/testing/ground.ts";
import { EngineError } from "../../src/wire/engine_error.ts";

/** The other end of asNobody(): everything is loaded as root, then the process becomes the other user for good. */
const spec: TaskSpec = JSON.parse(await text(process.stdin));
const { makeEngine }: { readonly makeEngine: MakeEngine } = await import(spec.module);
const engine = makeEngine({ folder: spec.folder });
process.setgroups?.([]);
process.setgid?.(spec.uid);
process.setuid?.(spec.uid);

try {
  const repository = await engine.open(spec.location);
  try {
    console.log(JSON.stringify({ result: await run(repository, spec.task) }));
  } finally {
    await repository.close();
  }
} catch (error) {
  if (!(error instanceof EngineError)) throw error;
  console.log(JSON.stringify({ failure: error }));
}

function run(repository: Repository, task: Task): Promise<unknown> {
  return "restore" in task ? repository.restore(task.restore) : repository.snapshot(task.snapshot);
}
