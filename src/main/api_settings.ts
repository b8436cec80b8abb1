import { isRecord } from "../lib/json.ts";
import { messageOf } from "../lib/result.ts";
import { APIS } from "./apis.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What is set for each API by itself. Throws on what an API does not understand. */
export function apiSettings(env: Env): Readonly<Record<string, unknown>> {
  const text = env.HOLDFAST_API_SETTINGS || "{}";
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`HOLDFAST_API_SETTINGS is no JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(given)) throw new Error("HOLDFAST_API_SETTINGS must be an object, with a field for each API");
  for (const [name, settings] of Object.entries(given)) {
    const api = APIS.find((one) => one.name === name);
    if (!api?.checkSettings) throw new Error(`HOLDFAST_API_SETTINGS: the API ${name} has no settings`);
    api.checkSettings(settings);
  }
  return given;
}
