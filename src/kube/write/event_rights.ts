import { Events } from "../builtin.ts";
import type { Right } from "../rights.ts";

/** What an EventRecorder asks for. */
export const EVENT_RIGHTS: readonly Right[] = [
  { resource: Events, verbs: ["create", "patch"], why: "what happens to an object is told in its events" },
];
