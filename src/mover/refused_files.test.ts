import { expect, test } from "vitest";
import { EngineError } from "../wire/engine_error.ts";
import { withOtherUser } from "./refused_files.ts";

const VOLUME = { filesystem: { path: "/holdfast/repository" } };
const refused = (path: string) =>
  new EngineError("Forbidden", "opening the repository: the storage refuses access", {
    detail: `Fatal: unable to open config file: stat ${path}/config: permission denied`,
  });

test("what is refused on a volume is cured by another user, and not by a key", () => {
  const error = refused("/holdfast/repository");
  expect(withOtherUser(error, VOLUME)).toMatchObject({
    class: "Forbidden",
    message: error.message,
    detail: error.detail,
    remedy: expect.stringMatching(/moverDefaults\.securityContext.*privilegedMode/),
  });
});

test("what is refused elsewhere, or is something else, stays as it was", () => {
  const server = refused("/srv/backups");
  expect(withOtherUser(server, VOLUME)).toBe(server);
  expect(withOtherUser(server, { sftp: { host: "h", user: "u", path: "/srv/backups" } })).toBe(server);
  const full = new EngineError("Full", "backing up: /holdfast/repository is full");
  expect(withOtherUser(full, VOLUME)).toBe(full);
  const other = new Error("/holdfast/repository");
  expect(withOtherUser(other, VOLUME)).toBe(other);
});
