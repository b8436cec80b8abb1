import type { Problem } from "../../../core/reconcile/problem.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import type { KopiurPorts } from "../ports.ts";
import { observeCapture } from "./observe_capture.ts";
import { observeGroupSupport } from "./observe_group.ts";

export interface CaptureAnswer {
  readonly capture: Problem | undefined;
  readonly group: Result<true, Problem> | undefined;
}

/** Until a cluster is asked once more that can capture the volumes, and one that cannot, in milliseconds. */
const GOOD_FOR = 600_000;
const BAD_FOR = 60_000;

/**
 * Whether the volumes of BackupConfigs can be captured, kept for a while: whatever a repository has to say comes to all of
 * its BackupConfigs, and each would ask the API server about its volumes again.
 */
export class CaptureAnswers {
  readonly #ports: Pick<KopiurPorts, "client" | "caches" | "clock">;
  readonly #answers = new Map<ObjectKey, { question: string; until: number; answer: CaptureAnswer }>();

  constructor(ports: Pick<KopiurPorts, "client" | "caches" | "clock">) {
    this.#ports = ports;
  }

  async of(
    config: BackupConfig,
    sources: readonly ResolvedSource[],
    signal: AbortSignal,
  ): Promise<CaptureAnswer> {
    const { client, clock } = this.#ports;
    const key = keyOf(config);
    const question = this.#question(config, sources);
    const known = this.#answers.get(key);
    const now = clock.monotonic();
    if (known?.question === question && now < known.until) return known.answer;
    const [capture, group] = await Promise.all([
      observeCapture(this.#ports, config, sources, signal),
      observeGroupSupport(client, config, sources, signal),
    ]);
    const answer = { capture, group };
    const good = capture === undefined && group?.ok !== false;
    this.#answers.set(key, { question, until: now + (good ? GOOD_FOR : BAD_FOR), answer });
    return answer;
  }

  forget(key: ObjectKey): void {
    this.#answers.delete(key);
  }

  /** Another edit, another PVC, or another volume of one is another question. */
  #question(config: BackupConfig, sources: readonly ResolvedSource[]): string {
    const volumes = sources.map(({ pvc }) => {
      const claim = this.#ports.caches.claims.get(pvc as ObjectKey);
      return [pvc, claim?.metadata.uid, claim?.spec?.volumeName, claim?.status?.phase];
    });
    return JSON.stringify([config.metadata.uid, specFingerprint(config), volumes]);
  }
}
