import { request } from "node:http";
import { isRecord } from "../../src/lib/json.ts";
import type { ClusterInfo } from "./info.ts";

/** etcd refused. */
export class EtcdRefused extends Error {
  override name = "EtcdRefused";
}

/**
 * Makes etcd forget every revision but the newest. A watch that resumes from an older one, or a list that
 * continues from one, gets a 410.
 */
export async function compactEtcd(cluster: Pick<ClusterInfo, "etcd">): Promise<void> {
  const answer = await post(cluster.etcd, "/v3/kv/range", { key: "AA==", limit: "1" });
  const header = isRecord(answer) ? answer.header : undefined;
  const revision = isRecord(header) ? header.revision : undefined;
  await post(cluster.etcd, "/v3/kv/compaction", { revision, physical: true });
}

function post(socketPath: string, path: string, body: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method: "POST", agent: false }, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString("utf8");
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new EtcdRefused(`etcd: ${path}: ${response.statusCode} ${text}`));
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
