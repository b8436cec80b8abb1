import { KEYS_FOLDER } from "../../core/work/session/session_request.ts";

/** Names, in the session's Secret, of what its client proves itself with. */
export const CLIENT_KEYS = { cert: "client.crt", key: "client.key" } as const;

/** How long a session may take until it listens, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Runs in the pod of a session, where Node is: puts one question to the session beside it, and prints the status of
 * the answer in a line, then the answer. So nothing but `exec` is needed to reach a session, from anywhere.
 */
const SCRIPT = `
const { readFileSync } = require("node:fs");
const { request } = require("node:https");
const [port, path] = process.argv.slice(1);
const read = (name) => readFileSync(${JSON.stringify(`${KEYS_FOLDER}/`)} + name);
const options = {
  host: "127.0.0.1", port, path, servername: "session.holdfast",
  ca: read("ca.crt"), cert: read(${JSON.stringify(CLIENT_KEYS.cert)}), key: read(${JSON.stringify(CLIENT_KEYS.key)}),
};
const end = Date.now() + ${PATIENCE};
const fail = (error) => { process.stderr.write(error.message); process.exitCode = 1; };
const ask = () => request(options, (answer) => {
  process.stdout.write(answer.statusCode + "\\n");
  answer.on("error", fail).pipe(process.stdout);
}).on("error", (error) => {
  if (error.code === "ECONNREFUSED" && Date.now() < end) setTimeout(ask, 100);
  else fail(error);
}).end();
ask();
`;

/** The command that puts a question. */
export function askCommand(port: number, path: string): readonly string[] {
  return ["/usr/local/bin/node", "-e", SCRIPT, "--", String(port), path];
}
