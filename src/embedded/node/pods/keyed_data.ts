import { isNotFound } from "../../../kube/api_error.ts";
import { ConfigMaps, Secrets } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";

/** A pod asks for what is not there: it waits, with this as its reason, until someone provides it. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/** The contents of a Secret or a ConfigMap. */
export type KeyedData = ReadonlyMap<string, Buffer>;

/** Reads the Secrets and ConfigMaps of a namespace by name, each once. */
export class KeyedDataReader {
  readonly #reader: Pick<Reader, "get">;
  readonly #namespace: string;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Promise<KeyedData | undefined>>();

  constructor(reader: Pick<Reader, "get">, namespace: string, signal: AbortSignal) {
    this.#reader = reader;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** Throws Unavailable when it does not exist and is not optional. */
  async read(kind: "secret" | "configmap", name: string, optional = false): Promise<KeyedData> {
    const key = `${kind}/${name}`;
    const reading = this.#known.get(key) ?? this.#fetch(kind, name);
    this.#known.set(key, reading);
    const data = await reading;
    if (data === undefined && !optional) throw new Unavailable(`${kind} "${name}" not found`);
    return data ?? new Map();
  }

  /** One value; undefined when it is optional and not there. */
  async value(
    kind: "secret" | "configmap",
    { name = "", key, optional = false }: { name?: string; key: string; optional?: boolean },
  ): Promise<string | undefined> {
    const value = (await this.read(kind, name, optional)).get(key);
    if (value === undefined && !optional) {
      const what = kind === "secret" ? "Secret" : "ConfigMap";
      throw new Unavailable(`couldn't find key ${key} in ${what} ${this.#namespace}/${name}`);
    }
    return value?.toString();
  }

  async #fetch(kind: "secret" | "configmap", name: string): Promise<KeyedData | undefined> {
    const at = { namespace: this.#namespace, name };
    const options = { signal: this.#signal };
    try {
      if (kind === "secret") {
        const { data = {} } = await this.#reader.get(Secrets, at, options);
        return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64")]));
      }
      const { data = {}, binaryData = {} } = await this.#reader.get(ConfigMaps, at, options);
      return new Map([
        ...Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const),
        ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, "base64")] as const),
      ]);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
