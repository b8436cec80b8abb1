import { basename } from "node:path";
import type { SessionClient } from "../../core/work/session/session_client.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { allOf } from "../files/all_of.ts";
import { downloadShown } from "../files/download_shown.ts";
import { ENTRY_COLUMNS, safeName } from "../files/entry_text.ts";
import { filesText } from "../files_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { explainedError } from "../frame/explained_error.ts";
import { misuse } from "../frame/problem.ts";
import { table } from "../frame/table.ts";
import type { Terminal } from "../frame/terminal.ts";
import { cleanPath } from "../session/clean_path.ts";
import { keepAlive } from "../session/keep_alive.ts";
import { snapshotNamed, withRepository } from "../session/with_snapshot.ts";

const HELP = "ls [path], cd <path>, cat <file>, get <path> [to], find <name>, help, exit";

const COMMANDS = ["ls", "cd", "cat", "get", "find"];

/** Walks about in a snapshot, one line at a time. The repository is opened once. */
export async function browse(call: Call): Promise<ExitCode> {
  const { given, terminal } = call;
  const { ask } = terminal;
  if (!ask) throw misuse("browse needs a terminal", "Use ls, cat, find and download in scripts.");
  const { backup, snapshot } = await snapshotNamed(call, given.word(0));
  const id = snapshot.kopiaSnapshotID;
  await withRepository(call, [backup], async (client) => {
    using _ = keepAlive(client, call);
    await walk(call, ask, { client, id, name: backup.metadata.name });
  });
  return EXIT.done;
}

interface Walk {
  readonly client: SessionClient;
  readonly id: string;
  /** Of the Backup. */
  readonly name: string;
}

/** Does line by line what is asked for, until somebody leaves or the input ends. */
export async function walk(
  call: Call,
  ask: NonNullable<Terminal["ask"]>,
  { client, id, name }: Walk,
): Promise<void> {
  const { out, signal } = call;
  out(`${name}: ${HELP}`);
  let here = "";
  for (;;) {
    const line = await ask(`${name}:/${here}> `, signal);
    const [word = "", ...rest] = line?.trim().split(/\s+/) ?? ["exit"];
    if (word === "exit" || word === "quit") return;
    try {
      here = await step({ call, client, id, here, word, rest });
    } catch (error) {
      signal.throwIfAborted();
      const { message, why, fix } = explainedError(error);
      for (const text of [message, why && `  why: ${why}`, fix && `  fix: ${fix}`]) if (text) out(text);
    }
  }
}

interface Step {
  readonly call: Call;
  readonly client: SessionClient;
  readonly id: string;
  readonly here: string;
  readonly word: string;
  readonly rest: readonly string[];
}

/** Does one line. Returns the folder that one is in afterwards. */
async function step({ call, client, id, here, word, rest }: Step): Promise<string> {
  const { out, signal, terminal, paint } = call;
  const [name = "", to] = rest;
  const path = cleanPath(name.startsWith("/") ? name : `${here}/${name}`);
  const option = rest.find((one) => one.startsWith("-"));
  if (option !== undefined && COMMANDS.includes(word)) {
    out(
      `There are no options such as ${option} here: ls shows all that is known. A name that begins with - is ./${option}.`,
    );
    return here;
  }
  switch (word) {
    case "":
      return here;
    case "ls": {
      const entries = await allOf(client.entries(id, path, { signal }));
      for (const line of table(entries, ENTRY_COLUMNS, { paint })) out(line);
      return here;
    }
    case "cd": {
      const type = path === "" ? "Folder" : (await client.entry(id, path, { signal })).type;
      if (type !== "Folder") out(`/${path} is no folder`);
      return type === "Folder" ? path : here;
    }
    case "cat":
      for await (const chunk of client.read(id, path, { signal })) terminal.out.write(chunk);
      return here;
    case "get": {
      const entry = await client.entry(id, path, { signal });
      const target = to ?? basename(path);
      const wanted = { id, path, entry, target, force: false };
      const { files, bytes } = await downloadShown(call, client, wanted);
      out(`${filesText(files)}, ${bytesText(bytes)}, in ${target}`);
      return here;
    }
    case "find":
      for await (const found of client.search(id, { name, ...(here ? { path: here } : {}) }, { signal }))
        out(`/${safeName(found.path)}`);
      return here;
    case "help":
      out(HELP);
      return here;
    default:
      out(`There is no command ${safeName(word)} here. ${HELP}`);
      return here;
  }
}
