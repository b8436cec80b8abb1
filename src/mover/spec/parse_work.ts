import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { WORK_VERSION, type WorkSpec } from "../../wire/work.ts";
import { BadWork } from "./bad_work.ts";
import { workSpec } from "./work_reader.ts";

/** Its own version and the one before: an upgrade of the operator kills no run that is under way. */
export function readsVersion(version: unknown, own = WORK_VERSION): boolean {
  return typeof version === "number" && version >= 1 && (version === own || version === own - 1);
}

/** Reads the text of a work spec. Throws BadWork with a sentence that says what is wrong with it. */
export function parseWork(text: string): WorkSpec {
  const value = parsed(text);
  if (!isRecord(value)) throw new BadWork("the work spec is not a JSON object");
  if (!readsVersion(value.version)) {
    const given = value.version === undefined ? "none" : JSON.stringify(value.version);
    throw new BadWork(
      `this mover reads work specs of version ${WORK_VERSION}, and this one's is ${given}: use the mover of the operator's release`,
    );
  }
  return workSpec(value, "spec");
}

/** The run that a spec names, also when the rest of it cannot be read. */
export function runOf(text: string): string {
  try {
    const value = parsed(text);
    return isRecord(value) && typeof value.run === "string" ? value.run.slice(0, 256) : "";
  } catch {
    return "";
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BadWork(`the work spec is not JSON: ${messageOf(cause)}`);
  }
}
