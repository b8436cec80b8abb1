import type { ShownObject } from "../../core/view/shown_object.ts";
import { describedLines } from "../describe/described_lines.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { namespaceOf } from "../frame/scope.ts";

/** What an object asks for and what came of it, for people. */
export async function describe(call: Call): Promise<ExitCode> {
  const views = await call.views();
  const { resource, name } = referenceOf(call.given.word(0), {
    among: views.flatMap(({ kinds }) => kinds),
    usual: "backup",
  });
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const object: ShownObject = await cluster.client.get(resource, where, { signal: call.signal });
  if (await printed(call, object)) return EXIT.done;
  for (const line of describedLines(object, call.clock.now())) call.out(line);
  return EXIT.done;
}
