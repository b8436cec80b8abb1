import { shownRetention } from "../../../core/retention/shown_retention.ts";
import type { Listed, RetentionView } from "../../../core/view/api_view.ts";
import { KIND_WORDS } from "../../../kinds/kopiur/words.ts";
import { keyOf, type ObjectName } from "../../../kube/object.ts";
import { isCrossNamespace } from "../children/child.ts";
import { repositoryKey } from "../references.ts";
import { neededNames } from "../retention/needed_backups.ts";
import { observedRetention } from "../retention/observed_retention.ts";
import { configOf } from "./seen.ts";

/** What the retention of a BackupConfig keeps, by what the operator would see. */
export function retentionView({ of }: Listed, plan: ObjectName, now: number): RetentionView | undefined {
  const key = keyOf(plan);
  const config = of(KIND_WORDS.config).find((one) => keyOf(one) === key);
  if (!config) return undefined;
  const { namespace = "", name } = config.metadata;
  const { repository = config.spec.repository } = config.status?.resolved ?? {};
  const place = repositoryKey(repository, namespace);
  const backups = of(KIND_WORDS.backup).filter(
    (one) =>
      one.metadata.namespace === namespace && one.spec.configRef?.name === name && !isCrossNamespace(one),
  );
  const observed = observedRetention({
    config,
    repository: [...of(KIND_WORDS.repository), ...of(KIND_WORDS.clusterrepository)].find(
      (one) => keyOf(one) === place,
    ),
    backups,
    schedules: of(KIND_WORDS.schedule).filter((one) => configOf(one) === key),
    needed: neededNames(backups, of(KIND_WORDS.restore)),
    now,
  });
  return shownRetention(observed);
}
