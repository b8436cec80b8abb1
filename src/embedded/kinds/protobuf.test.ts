import { expect, test } from "vitest";
import { ProtobufError, readProtobuf } from "./protobuf.ts";

// The wire format, written by hand: a key of number and type, then a length and as many bytes, or a number.
function bytes(number: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}

function integer(number: number, value: number): Buffer {
  return Buffer.from([number << 3, value]);
}

function request(apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer {
  const type = Buffer.concat([bytes(1, apiVersion), bytes(2, kind)]);
  return Buffer.concat([Buffer.from("k8s\0"), bytes(1, type), bytes(2, Buffer.concat(fields))]);
}

const metadata = bytes(1, Buffer.concat([bytes(1, "it"), bytes(2, ""), bytes(8, "")]));
const entry = (key: string, value: string) => Buffer.concat([bytes(1, key), bytes(2, value)]);

test("texts, bytes and maps are read, and empty fields are left out", () => {
  const secret = request(
    "v1",
    "Secret",
    metadata,
    bytes(2, entry("a", "b")),
    bytes(2, entry("c", "")),
    bytes(3, ""),
  );
  expect(readProtobuf(secret)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "it" },
    data: { a: "Yg==", c: "" },
  });
});

test("numbers, lists and messages within messages are read", () => {
  const container = Buffer.concat([bytes(1, "main"), bytes(3, "one"), bytes(3, "two")]);
  const template = bytes(3, bytes(2, bytes(2, container)));
  const deployment = request(
    "apps/v1",
    "Deployment",
    metadata,
    bytes(2, Buffer.concat([integer(1, 0), template])),
  );
  expect(readProtobuf(deployment)).toMatchObject({
    apiVersion: "apps/v1",
    spec: { replicas: 0, template: { spec: { containers: [{ name: "main", command: ["one", "two"] }] } } },
  });
});

test("what is inline in JSON stands among the fields around it", () => {
  const volume = Buffer.concat([bytes(1, "v"), bytes(2, bytes(6, bytes(1, "creds")))]);
  const pod = request("v1", "Pod", bytes(2, bytes(1, volume)));
  expect(readProtobuf(pod)).toMatchObject({
    spec: { volumes: [{ name: "v", secret: { secretName: "creds" } }] },
  });
});

test("a quantity, a time and a number or text are written as in JSON", () => {
  const requests = bytes(2, Buffer.concat([bytes(1, "storage"), bytes(2, bytes(1, "1Gi"))]));
  const claim = request("v1", "PersistentVolumeClaim", bytes(2, bytes(2, requests)));
  expect(readProtobuf(claim)).toMatchObject({ spec: { resources: { requests: { storage: "1Gi" } } } });
  const created = bytes(1, bytes(8, integer(1, 60)));
  expect(readProtobuf(request("v1", "ConfigMap", created))).toMatchObject({
    metadata: { creationTimestamp: "1970-01-01T00:01:00.000Z" },
  });
});

test("a kind that is not built in is not known", () => {
  expect(readProtobuf(request("example.com/v1", "Thing"))).toBeUndefined();
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["JSON", Buffer.from('{"kind":"Pod"}')],
  ["half of a field", Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x0a, 0x7f, 0x01])])],
  ["an endless number", Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(12, 0xff)])],
  ["an unknown wire type", Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x0b])])],
])("%s is refused", (_, body) => {
  expect(() => readProtobuf(body)).toThrow(ProtobufError);
});
