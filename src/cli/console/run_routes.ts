import type { Hono } from "hono";
import { isRecord } from "../../lib/json.ts";
import { COMMANDS } from "../commands.ts";
import { misuse } from "../frame/problem.ts";
import { allowedLine } from "./allowed_line.ts";
import { AtOnce } from "./at_once.ts";
import type { ConsoleEnv, ConsoleParts } from "./console_app.ts";
import type { Run } from "./contract.ts";
import { asLines, runStream } from "./run_stream.ts";
import { streamOf } from "./served.ts";

/** Commands of one person at a time. */
const MOST_AT_ONCE = 12;
/** Words of a line, and characters of a word. */
const MOST_WORDS = 64;
const LONGEST_WORD = 4096;

/** What changes something: commands of the command line. */
export function runRoutes(app: Hono<ConsoleEnv>, { ports, signal: ends }: ConsoleParts): void {
  const running = new AtOnce(MOST_AT_ONCE, "commands run");

  app.post("/api/run", async (context) => {
    const { person, ended } = context.get("signIn");
    const { namespace, words, detach = false } = runIn(await context.req.json().catch(() => undefined));
    const line = allowedLine(words, namespace, COMMANDS);
    const { user } = person;
    const end = running.begin(user);
    const told = { user, namespace: line.given.text("namespace"), line: words.join(" ") };
    ports.log.info(told, "action");
    const closed = detach && !line.looks ? [] : [context.req.raw.signal, ended];
    const events = runStream({
      person,
      line,
      signal: AbortSignal.any([ends, ...closed]),
      onEnd: (event) => {
        end();
        const outcome =
          event.type === "failed" ? { outcome: "failed", message: event.message } : { outcome: "done" };
        ports.log.info({ ...told, ...outcome }, "action ended");
      },
    });
    return context.body(streamOf(asLines(events)), 200, { "content-type": "application/x-ndjson" });
  });
}

/** What the page sent, where it is what it should be. */
export function runIn(said: unknown): Run {
  const { namespace, words, detach } = isRecord(said) ? said : {};
  const fine =
    typeof namespace === "string" &&
    namespace !== "" &&
    Array.isArray(words) &&
    words.length > 0 &&
    words.length <= MOST_WORDS &&
    words.every((word) => typeof word === "string" && word.length <= LONGEST_WORD && !word.includes("\0"));
  if (!fine) throw misuse("there is no command", "Send {namespace, words}, the words of one command line.");
  return { namespace, words: words as readonly string[], detach: detach === true };
}
