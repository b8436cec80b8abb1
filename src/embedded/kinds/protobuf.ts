import { messagesJson } from "./generated/messages.js";

type Field = readonly [name: string, type: string, form?: "list" | "map" | "inline"];
type Message = Readonly<Record<string, Field>>;

let messages: Readonly<Record<string, Message>> | undefined;

/** The bytes are not what they claim to be. */
export class ProtobufError extends Error {
  override name = "ProtobufError";
}

const MAGIC = Buffer.from("k8s\0");

/**
 * The object in a request of type application/vnd.kubernetes.protobuf, which kubectl's typed commands send.
 * Undefined for a kind that is not built in; throws ProtobufError for bytes that make no sense.
 */
export function readProtobuf(bytes: Uint8Array): Record<string, unknown> | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.subarray(0, MAGIC.length).equals(MAGIC)) throw new ProtobufError("the body is not protobuf");
  let [apiVersion, kind] = ["", ""];
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, value } of fieldsIn(buffer.subarray(MAGIC.length))) {
    if (!Buffer.isBuffer(value)) continue;
    if (number === 1) {
      for (const part of fieldsIn(value)) {
        if (part.number === 1) apiVersion = String(part.value);
        if (part.number === 2) kind = String(part.value);
      }
    } else if (number === 2) raw = value;
  }
  messages ??= JSON.parse(messagesJson) as Record<string, Message>;
  const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const name = `k8s.io.api.${group.split(".")[0]}.${version}.${kind}`;
  if (!messages[name]) return undefined;
  return { apiVersion, kind, ...(read(name, raw, messages) as Record<string, unknown>) };
}

interface WireField {
  readonly number: number;
  readonly value: Buffer | bigint;
}

function* fieldsIn(buffer: Buffer): Iterable<WireField> {
  for (let at = 0; at < buffer.length; ) {
    const tag = varint(buffer, at);
    at = tag.end;
    const number = Number(tag.value >> 3n);
    switch (Number(tag.value & 7n)) {
      case 0: {
        const { value, end } = varint(buffer, at);
        at = end;
        yield { number, value };
        break;
      }
      case 1:
        yield { number, value: slice(buffer, at, at + 8) };
        at += 8;
        break;
      case 2: {
        const { value: size, end } = varint(buffer, at);
        at = end + Number(size);
        yield { number, value: slice(buffer, end, at) };
        break;
      }
      default:
        throw new ProtobufError("the body is not protobuf of Kubernetes' kind");
    }
  }
}

function slice(buffer: Buffer, start: number, end: number): Buffer {
  if (end > buffer.length) throw new ProtobufError("the body ends too early");
  return buffer.subarray(start, end);
}

function varint(buffer: Buffer, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let at = start; at < buffer.length && at < start + 10; at++) {
    const byte = buffer[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  throw new ProtobufError("the body ends too early");
}

type Tables = Readonly<Record<string, Message>>;

/** Go types whose JSON is not made of their fields. */
const SPECIAL: Readonly<Record<string, (fields: Record<string, unknown>) => unknown>> = {
  Time: timeOf,
  MicroTime: timeOf,
  Quantity: ({ string }) => string,
  IntOrString: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? "") : (intVal ?? 0)),
  FieldsV1: ({ Raw }) => JSON.parse(Buffer.from(String(Raw), "base64").toString()),
  RawExtension: ({ raw }) => JSON.parse(Buffer.from(String(raw), "base64").toString()),
  ExtraValue: ({ items }) => items ?? [],
};

function timeOf({ seconds, nanos }: Record<string, unknown>): string | undefined {
  if (seconds === undefined) return undefined;
  return new Date(Number(seconds) * 1000 + Number(nanos ?? 0) / 1e6).toISOString();
}

function read(type: string, buffer: Buffer, tables: Tables): unknown {
  const message = tables[type] ?? {};
  const fields: Record<string, unknown> = {};
  for (const { number, value } of fieldsIn(buffer)) {
    const field = message[number];
    if (!field) continue;
    const [name, of, form] = field;
    if (form === "map") fields[name] = { ...(fields[name] as object), ...entry(of, value, tables) };
    else if (form === "list") fields[name] = [...((fields[name] as unknown[]) ?? []), one(of, value, tables)];
    else if (form === "inline") Object.assign(fields, one(of, value, tables));
    else {
      const found = one(of, value, tables);
      // Empty texts are written for fields that are not there.
      if (found !== "" && found !== undefined) fields[name] = found;
    }
  }
  const special = SPECIAL[type.slice(type.lastIndexOf(".") + 1)];
  return special ? special(fields) : fields;
}

function entry(type: string, value: Buffer | bigint, tables: Tables): Record<string, unknown> {
  let [key, item]: [string, unknown] = ["", type === "string" || type === "bytes" ? "" : {}];
  for (const part of Buffer.isBuffer(value) ? fieldsIn(value) : []) {
    if (part.number === 1) key = String(part.value);
    else item = one(type, part.value, tables);
  }
  return { [key]: item };
}

function one(type: string, value: Buffer | bigint, tables: Tables): unknown {
  if (!Buffer.isBuffer(value)) {
    return type === "bool" ? value !== 0n : Number(BigInt.asIntN(64, value));
  }
  if (type === "string") return value.toString("utf8");
  if (type === "bytes") return value.toString("base64");
  if (type === "double") return value.readDoubleLE();
  return read(type, value, tables);
}
