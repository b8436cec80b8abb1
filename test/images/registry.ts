import { createReadStream, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sha256 } from "../../src/lib/hash.ts";
import { run } from "../../tools/cluster/run.ts";

const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar";

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** What an image of one architecture is made of. */
export interface BaseImage {
  readonly architecture: string;
  readonly rootfs: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A registry on this machine that stands in for all others, to read from: as they do, it has an image for each architecture. */
export class Registry implements AsyncDisposable {
  readonly #folder: string;
  readonly #server: Server;
  /** The digest that a name with its tag stands for, and the type of what has a digest. */
  readonly #tags = new Map<string, string>();
  readonly #types = new Map<string, string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer(({ url = "", method }, response) =>
      this.#answer(url, method === "HEAD", response),
    );
  }

  static async open(folder: string): Promise<Registry> {
    mkdirSync(folder);
    const registry = new Registry(folder);
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  /** The file by which programs take this registry for those that images are named after. */
  writeConfiguration(path: string, others: readonly string[]): void {
    const { port } = this.#server.address() as AddressInfo;
    const each = others.map(
      (prefix) => `[[registry]]\nprefix = "${prefix}"\nlocation = "127.0.0.1:${port}"\ninsecure = true\n`,
    );
    writeFileSync(path, `unqualified-search-registries = ["docker.io"]\n${each.join("")}`);
  }

  /** `name`: without the registry's. */
  async add(name: string, tag: string, images: readonly BaseImage[]): Promise<void> {
    const manifests = [];
    for (const { architecture, rootfs, env } of images) {
      const layer = await this.#layerOf(rootfs);
      const config = this.#keep(CONFIG, {
        architecture,
        os: "linux",
        config: { Env: Object.entries(env).map(([key, value]) => `${key}=${value}`) },
        rootfs: { type: "layers", diff_ids: [layer.digest] },
        history: [{ created_by: `${name} for ${architecture}` }],
      });
      const manifest = this.#keep(MANIFEST, {
        schemaVersion: 2,
        mediaType: MANIFEST,
        config,
        layers: [layer],
      });
      manifests.push({ ...manifest, platform: { architecture, os: "linux" } });
    }
    const index = this.#keep(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests });
    this.#tags.set(`${name}:${tag}`, index.digest);
  }

  async #layerOf(rootfs: string): Promise<Blob> {
    const unnamed = join(this.#folder, "layer");
    await run("tar", ["--create", "--file", unnamed, "--directory", rootfs, "--numeric-owner", "."]);
    const digest = `sha256:${(await run("sha256sum", [unnamed])).slice(0, 64)}`;
    await run("mv", [unnamed, this.#path(digest)]);
    this.#types.set(digest, LAYER);
    return { mediaType: LAYER, digest, size: statSync(this.#path(digest)).size };
  }

  #keep(mediaType: string, content: object): Blob {
    const text = JSON.stringify(content);
    const digest = `sha256:${sha256(text)}`;
    writeFileSync(this.#path(digest), text);
    this.#types.set(digest, mediaType);
    return { mediaType, digest, size: Buffer.byteLength(text) };
  }

  #path(digest: string): string {
    return join(this.#folder, digest.replace(":", "-"));
  }

  #answer(url: string, headOnly: boolean, response: ServerResponse): void {
    if (url === "/v2/") return void response.end();
    const [, name = "", reference = ""] = /^\/v2\/(.+)\/(?:manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    const digest = this.#tags.get(`${name}:${reference}`) ?? reference;
    const type = this.#types.get(digest);
    if (type === undefined) return void response.writeHead(404).end();
    const size = statSync(this.#path(digest)).size;
    response.writeHead(200, {
      "content-type": type,
      "content-length": size,
      "docker-content-digest": digest,
    });
    if (headOnly) return void response.end();
    createReadStream(this.#path(digest)).pipe(response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
