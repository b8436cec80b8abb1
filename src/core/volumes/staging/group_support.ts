import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { glance, look } from "./look.ts";
import type { StagingReader } from "./observe_source.ts";
import { observeGroup } from "./observe_staging.ts";
import type { RefusedStaging } from "./staging_decision.ts";
import type { GroupRequest } from "./staging_request.ts";
import { groupCapability } from "./take_group.ts";

/** Whether volumes can be captured at one moment, before anybody asks for that. */
export async function groupSupport(
  reader: StagingReader,
  request: Pick<GroupRequest, "owner" | "sources" | "groupSnapshotClassName">,
  call: CallOptions,
): Promise<Result<true, Pick<RefusedStaging, "class" | "reason" | "message">>> {
  const seen = await Promise.all(
    request.sources.map(async (source) => {
      const name = (await look(reader, PersistentVolumeClaims, source, call))?.spec?.volumeName;
      return { source, volume: name ? await glance(reader, PersistentVolumes, { name }, call) : undefined };
    }),
  );
  const capable = groupCapability(request, seen, await observeGroup(reader, request, call));
  if (capable.ok) return ok(true);
  const { class: kind, reason, message } = capable.error;
  return err({ class: kind, reason, message });
}
