import type { Structural } from "../../src/kube/schema/structural.ts";
import { Chances, type Fields } from "./chances.ts";

const text: Structural = { type: "string" };
const port: Structural = {
  type: "object",
  required: ["port"],
  properties: {
    port: { type: "integer" },
    protocol: { type: "string", default: "TCP" },
    name: text,
    options: { type: "object", properties: { quick: { type: "boolean" }, note: text } },
  },
};

/** A kind with every way of owning: piece by piece, whole, by key, as a set, with and without a schema. */
export const sampleSchema: Structural = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        title: text,
        count: { type: "integer" },
        share: { "x-kubernetes-int-or-string": true },
        note: { type: "string", nullable: true },
        labels: { type: "object", additionalProperties: text },
        frozen: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
        frozenStruct: {
          type: "object",
          properties: { a: text, b: text },
          "x-kubernetes-map-type": "atomic",
        },
        plain: { type: "array", items: text },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        numbers: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
        ports: {
          type: "array",
          items: port,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        nested: {
          type: "object",
          properties: {
            mode: { type: "string", default: "quiet" },
            inner: { type: "object", properties: { x: text, y: { type: "integer" } } },
          },
        },
        groups: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: text, b: text } },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        half: {
          type: "object",
          properties: { known: { type: "object", properties: { x: text } } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: {
      type: "object",
      properties: {
        phase: text,
        conditions: {
          type: "array",
          items: {
            type: "object",
            required: ["type"],
            properties: { type: text, status: text, message: text },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
        },
      },
    },
  },
};

/** Random parts of objects of the sample kind. */
export class SampleParts extends Chances {
  spec(share = 0.4): Fields {
    return this.some(
      {
        title: this.word,
        count: () => this.oneOf(1, 2),
        share: () => this.oneOf<number | string>(1, "10%"),
        note: () => this.oneOf<string | null>("n", null),
        labels: () => this.map(this.word),
        frozen: () => this.map(this.word),
        frozenStruct: () => this.some({ a: this.word, b: this.word }, 0.6),
        plain: this.words,
        tags: this.words,
        numbers: () => this.several(() => this.oneOf(1, 2, 30)),
        ports: () => this.#ports(),
        nested: () => this.some({ mode: this.word, inner: () => this.#inner() }, 0.6),
        groups: () => this.map(() => this.some({ a: this.word, b: this.word }, 0.6)),
        free: () => this.#free(2),
        half: () =>
          this.some({ known: () => this.some({ x: this.word }, 0.7), extra: () => this.#free(1) }, 0.6),
        template: () => this.#template(),
      },
      share,
    );
  }

  #inner(): Fields {
    return this.some({ x: this.word, y: () => this.oneOf(1, 2) }, 0.6);
  }

  #ports(): Fields[] {
    const ports = this.several(() => ({
      port: this.oneOf(80, 443, 8080),
      ...(this.chance(0.5) ? { protocol: this.oneOf("TCP", "UDP") } : {}),
    }));
    const unique = new Map(
      ports.map((item) => [`${item.port} ${"protocol" in item ? item.protocol : "TCP"}`, item]),
    );
    return [...unique.values()].map((item) => ({
      ...item,
      ...this.some(
        { name: this.word, options: () => this.some({ quick: () => true, note: this.word }, 0.6) },
        0.5,
      ),
    }));
  }

  #free(depth: number): unknown {
    const kind = depth === 0 ? "text" : this.oneOf("text", "list", "map", "map", "number");
    if (kind === "text") return depth === 2 ? {} : this.word();
    if (kind === "number") return depth === 2 ? {} : 1;
    if (kind === "list" && depth < 2) return this.words();
    return this.map(() => this.#free(depth - 1));
  }

  #template(): Fields {
    return {
      apiVersion: "v1",
      kind: this.oneOf("Pod", "ConfigMap"),
      metadata: { name: this.word(), labels: { always: "", ...this.map(this.word) } },
      ...this.some({ data: () => this.map(this.word) }, 0.5),
    };
  }

  status(): Fields {
    return this.some({ phase: this.word, conditions: () => this.#conditions() }, 0.7);
  }

  #conditions(): Fields[] {
    return this.several(() => this.oneOf("Ready", "Stalled")).map((type) => ({
      type,
      ...this.some({ status: () => "True", message: this.word }, 0.6),
    }));
  }

  metadata(): Fields {
    const owner = (uid: string) => ({ apiVersion: "v1", kind: "Absent", name: uid, uid });
    return this.some(
      {
        labels: () => this.map(this.word),
        annotations: () => this.map(this.word),
        finalizers: () => this.several(() => this.oneOf("test.holdfast.dev/x", "test.holdfast.dev/y")),
        ownerReferences: () => this.several(() => owner(this.oneOf("u1", "u2"))),
      },
      0.2,
    );
  }
}
