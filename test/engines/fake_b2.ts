import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { RunningStorage } from "../../src/engines/testing/backend_cases.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { localNames } from "./local_names.ts";

const NAME = "api.backblazeb2.com";
const BUCKET = {
  accountId: "account",
  bucketId: "bucket-id",
  bucketName: "bucket",
  bucketType: "allPrivate",
};
const PART = 100_000_000;

interface StoredFile {
  readonly fileId: string;
  readonly fileName: string;
  readonly content: Buffer;
  readonly contentType: string;
  readonly contentSha1: string;
  readonly uploadTimestamp: number;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** As much of Backblaze's B2 as the engines use, in memory. */
export async function startB2(folder: string): Promise<RunningStorage> {
  const port = await freePort();
  const names = await localNames(folder, { [NAME]: port });
  const keys = { B2_ACCOUNT_ID: randomUUID(), B2_ACCOUNT_KEY: randomUUID() };
  const b2 = new FakeB2(keys.B2_ACCOUNT_ID, keys.B2_ACCOUNT_KEY);
  const tls = { key: await readFile(names.key), cert: await readFile(names.certificate) };
  const server = createServer(tls, (request, response) => void b2.answer(request, response));
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  const at = (bucket: string, prefix: string, credentials = keys) => ({
    backend: { b2: { bucket, prefix } },
    credentials,
  });
  return {
    env: { ...names.env, SSL_CERT_FILE: names.certificate },
    at: (prefix) => at("bucket", prefix),
    bucketMissing: at("no-such-bucket", "x"),
    forbidden: at("bucket", "x", { ...keys, B2_ACCOUNT_KEY: randomUUID() }),
    stop: async () => {
      server.closeAllConnections();
      if ((server.address() as AddressInfo | null) !== null) {
        await new Promise((stopped) => server.close(stopped));
      }
      await names.stop();
    },
  };
}

class FakeB2 {
  readonly #login: string;
  readonly #token = randomUUID();
  /** By name; the last is the newest. */
  readonly #files = new Map<string, StoredFile[]>();

  constructor(id: string, key: string) {
    this.#login = `Basic ${Buffer.from(`${id}:${key}`).toString("base64")}`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    // Whoever asked is gone.
    if (body === undefined) return;
    try {
      const { pathname } = new URL(request.url ?? "", "https://b2");
      if (pathname.startsWith("/file/")) return this.#download(request, response, pathname);
      const result = this.#call(pathname.split("/").at(-1) ?? "", request, body);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
    } catch (error) {
      const { status, code } = error instanceof Refused ? error : new Refused(500, "internal_error");
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ status, code, message: `${code} of the tests` }));
    }
  }

  #call(name: string, { headers }: IncomingMessage, body: Buffer): unknown {
    if (name === "b2_authorize_account") {
      if (headers.authorization !== this.#login) throw new Refused(401, "unauthorized");
      const url = `https://${NAME}`;
      const sizes = { minimumPartSize: PART, recommendedPartSize: PART, absoluteMinimumPartSize: 5_000_000 };
      const allowed = {
        capabilities: ["listBuckets", "listFiles", "readFiles", "writeFiles", "deleteFiles"],
      };
      const account = { accountId: BUCKET.accountId, authorizationToken: this.#token };
      const urls = { apiUrl: url, downloadUrl: url, s3ApiUrl: url };
      // The first version of the API says it flat, the third one in a folder of its own.
      const apiInfo = { storageApi: { ...urls, ...sizes, ...allowed } };
      return { ...account, ...urls, ...sizes, allowed, apiInfo };
    }
    if (headers.authorization !== this.#token) throw new Refused(401, "bad_auth_token");
    if (name === "upload") return this.#upload(headers, body);
    const asked = JSON.parse(body.toString()) as Record<string, string | number | undefined>;
    if (name === "b2_list_buckets") return { buckets: [BUCKET] };
    if (name === "b2_get_upload_url") {
      const uploadUrl = `https://${NAME}/upload`;
      return { bucketId: BUCKET.bucketId, uploadUrl, authorizationToken: this.#token };
    }
    if (name === "b2_list_file_names" || name === "b2_list_file_versions") return this.#list(name, asked);
    if (name === "b2_delete_file_version") return this.#delete(`${asked.fileName}`, `${asked.fileId}`);
    if (name === "b2_get_file_info") return this.#info(`${asked.fileId}`);
    throw new Refused(400, "bad_request");
  }

  #upload(headers: IncomingMessage["headers"], body: Buffer): unknown {
    const trailing = headers["x-bz-content-sha1"] === "hex_digits_at_end";
    const content = trailing ? body.subarray(0, -40) : body;
    const claimed = trailing ? body.subarray(-40).toString() : headers["x-bz-content-sha1"];
    const contentSha1 = createHash("sha1").update(content).digest("hex");
    if (claimed !== contentSha1) throw new Refused(400, "bad_request");
    const fileName = decodeURIComponent(`${headers["x-bz-file-name"]}`);
    const contentType = headers["content-type"] ?? "application/octet-stream";
    const file = { fileId: randomUUID(), fileName, content, contentType, contentSha1 };
    const stored = { ...file, uploadTimestamp: Date.now() };
    this.#files.set(fileName, [...(this.#files.get(fileName) ?? []), stored]);
    return shown(stored);
  }

  #list(name: string, asked: Record<string, string | number | undefined>): unknown {
    const { prefix = "", startFileName = "" } = asked;
    const most = Number(asked.maxFileCount ?? 100);
    const all = [...this.#files.values()]
      .flatMap((versions) => (name === "b2_list_file_names" ? versions.slice(-1) : versions.toReversed()))
      .filter(({ fileName }) => fileName.startsWith(`${prefix}`) && fileName >= `${startFileName}`)
      .toSorted((a, b) => (a.fileName < b.fileName ? -1 : a.fileName > b.fileName ? 1 : 0));
    const next = all[most];
    const more = { nextFileName: next?.fileName ?? null, nextFileId: next?.fileId ?? null };
    return { files: all.slice(0, most).map(shown), ...more };
  }

  #delete(fileName: string, fileId: string): unknown {
    const versions = this.#files.get(fileName) ?? [];
    if (!versions.some((file) => file.fileId === fileId)) throw new Refused(400, "file_not_present");
    const left = versions.filter((file) => file.fileId !== fileId);
    if (left.length > 0) this.#files.set(fileName, left);
    else this.#files.delete(fileName);
    return { fileName, fileId };
  }

  #info(fileId: string): unknown {
    const found = [...this.#files.values()].flat().find((file) => file.fileId === fileId);
    if (!found) throw new Refused(404, "not_found");
    return shown(found);
  }

  #download({ headers, method }: IncomingMessage, response: ServerResponse, path: string): void {
    if (headers.authorization !== this.#token) throw new Refused(401, "bad_auth_token");
    const [, , bucket, ...rest] = path.split("/").map(decodeURIComponent);
    const file = bucket === BUCKET.bucketName ? this.#files.get(rest.join("/"))?.at(-1) : undefined;
    if (!file) throw new Refused(404, "not_found");
    const { content, fileId, fileName, contentSha1, contentType, uploadTimestamp } = file;
    const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
    if (headers.range && Number(from) >= content.length) throw new Refused(416, "range_not_satisfiable");
    const part = content.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
    response.writeHead(headers.range ? 206 : 200, {
      "content-type": contentType,
      "content-length": part.length,
      "x-bz-file-id": fileId,
      "x-bz-file-name": encodeURIComponent(fileName),
      "x-bz-content-sha1": contentSha1,
      "x-bz-upload-timestamp": `${uploadTimestamp}`,
      ...(headers.range
        ? { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${content.length}` }
        : {}),
    });
    response.end(method === "HEAD" ? undefined : part);
  }
}

/** A file as the API tells of it. */
function shown({ content, ...file }: StoredFile): unknown {
  const { accountId, bucketId } = BUCKET;
  const size = { contentLength: content.length, size: content.length };
  return { ...file, ...size, accountId, bucketId, action: "upload", fileInfo: {} };
}
