import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { ProtobufError, readProtobuf } from "../kinds/protobuf.ts";
import { duplicateFields } from "./duplicate_fields.ts";
import { badRequest, unsupportedMediaType } from "./refusal.ts";

/** What a request carried. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

const OBJECT_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

export function mediaType(contentType: string | undefined): string {
  return contentType?.split(";")[0]?.trim().toLowerCase() || "application/json";
}

/** The object in a body, and the fields that it names twice. `kind` is what it should be, for the refusal. */
export async function readObject(
  body: Body,
  kind: string,
): Promise<{ readonly value: Record<string, unknown>; readonly duplicates: readonly string[] }> {
  const text = Buffer.from(body.bytes).toString("utf8");
  const unrecognized = (why: string) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${why} (${text.slice(0, 64) || "<empty>"})`,
    );
  const type = mediaType(body.contentType);
  let value: unknown;
  switch (type) {
    case "application/json":
    case "application/yaml":
      try {
        value = type === "application/json" ? JSON.parse(text) : await parseYaml(text);
      } catch (error) {
        throw unrecognized(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
      }
      break;
    case "application/vnd.kubernetes.protobuf":
      value = fromProtobuf(body.bytes);
      break;
    default:
      throw unsupportedMediaType(OBJECT_TYPES);
  }
  if (!isRecord(value))
    throw unrecognized("couldn't get version/kind; json parse error: it is not an object");
  return { value, duplicates: type === "application/json" ? duplicateFields(text) : [] };
}

function fromProtobuf(bytes: Uint8Array): unknown {
  try {
    return readProtobuf(bytes);
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw error;
  }
}

/** A patch, or what an apply wants: JSON, or YAML where that is the type. */
export async function readPatch(body: Body): Promise<unknown> {
  const text = Buffer.from(body.bytes).toString("utf8");
  try {
    return mediaType(body.contentType).endsWith("+yaml") && !/^\s*\{/.test(text)
      ? await parseYaml(text)
      : JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`);
  }
}

/** Loaded with the first body that needs it: most are JSON, and every start would wait for it. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  return parse(text);
}
