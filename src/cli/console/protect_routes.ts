import type { Hono } from "hono";
import { isRecord } from "../../lib/json.ts";
import { explainedError } from "../frame/explained_error.ts";
import { misuse } from "../frame/problem.ts";
import type { ConsoleEnv, ConsoleParts } from "./console_app.ts";
import type { Protect } from "./contract.ts";
import { protect, protectChoices } from "./protect.ts";
import { askedIn, needed } from "./question_routes.ts";

/** How volumes come into somebody's care. */
export function protectRoutes(app: Hono<ConsoleEnv>, { ports }: ConsoleParts): void {
  app.get("/api/protect", async (context) => {
    const { person, signal } = askedIn(context);
    const [namespace, name] = [needed(context, "namespace"), needed(context, "name")];
    return context.json(await protectChoices(person.call({ namespace, signal }), { namespace, name }));
  });

  app.post("/api/protect", async (context) => {
    const { person, signal } = askedIn(context);
    const asked = protectIn(await context.req.json().catch(() => undefined));
    const { namespace, name, api, dryRun } = asked;
    const line = `protect ${name} with ${api}`;
    const told = { user: person.user, namespace, line };
    if (!dryRun) ports.log.info(told, "action");
    try {
      const done = await protect(person.call({ namespace, signal }), asked);
      if (!dryRun) ports.log.info({ ...told, outcome: "done" }, "action ended");
      return context.json(done);
    } catch (error) {
      const { message } = explainedError(error);
      if (!dryRun) ports.log.info({ ...told, outcome: "failed", message }, "action ended");
      throw error;
    }
  });
}

/** What the page sent, where it is what it should be. */
export function protectIn(said: unknown): Protect {
  const { namespace, name, api, options = {}, dryRun } = isRecord(said) ? said : {};
  const texts = [namespace, name, api];
  const fine =
    texts.every((text) => typeof text === "string" && text !== "") &&
    isRecord(options) &&
    Object.values(options).every((value) => typeof value === "string");
  if (!fine) throw misuse("there is nothing to protect", "Send {namespace, name, api, options, dryRun}.");
  // Nothing is written unless that was asked for in so many words.
  return { namespace, name, api, options, dryRun: dryRun !== false } as Protect;
}
