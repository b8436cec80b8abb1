import { readyRepository } from "../../../core/repository/use_repository.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { type Restore, type RestoreSpec, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { differingFields } from "../../../kube/write/differing_fields.ts";
import type { ChosenRepository } from "../repositories.ts";
import { repositoryText } from "../repositories.ts";
import type { PlumberSettings } from "../settings.ts";
import { generatedNames } from "./generated_marks.ts";
import { nativeObjects } from "./native_objects.ts";
import type { Output } from "./output.ts";

/** A BackupConfig, a BackupSchedule and a passive Restore. */
export function nativeOutput(
  informers: Pick<Informers, "cache">,
  settings: PlumberSettings,
  repository: ChosenRepository,
): Output {
  return {
    caches: {
      config: informers.cache({ resource: backupConfigResource }),
      restore: informers.cache({ resource: restoreResource }),
      // Its controller watches these, and waits for them: no other has to.
      schedule: informers.cache({ resource: backupScheduleResource, optional: true }),
    },
    served: true,
    names: (pvc) => generatedNames(pvc, settings.namingStrategy),
    wanted: (request) => nativeObjects(request, settings),
    ready: () => readyRepository(repository.cache.get(repository.key), repositoryText(settings.repository)),
    lastBackup({ config }, { username, hostname }) {
      const { spec, status } = (config ?? {}) as Partial<BackupConfig>;
      const same = spec?.identity?.username === username && spec.identity.hostname === hostname;
      return same ? status?.lastSuccessfulBackup?.at : undefined;
    },
    misleads(restore, { object }) {
      const { repository, source, policy } = object.spec as Partial<RestoreSpec>;
      // With one of these it would give an earlier state.
      const identity = { ...source?.identity, snapshotID: null, asOf: null };
      const there = restore as Partial<Restore>;
      const { offset = 0 } = there.spec?.source?.identity ?? {};
      // Without a word on it, it fails.
      const onMissingSnapshot = there.spec?.policy?.onMissingSnapshot ?? "Fail";
      return [
        ...differingFields({ spec: { repository, source: { identity } } }, there),
        ...(offset === 0 ? [] : ["spec.source.identity.offset"]),
        ...differingFields({ spec: { policy } }, { spec: { policy: { onMissingSnapshot } } }),
      ];
    },
    // A Restore looks for the newest backup when a PVC names it.
    outdated: () => undefined,
  };
}
