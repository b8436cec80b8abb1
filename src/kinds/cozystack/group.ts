/** The API group of plans, jobs and backups. */
export const GROUP = "backups.cozystack.io";
/** The group of the strategies that come with this program. */
export const STRATEGY_GROUP = "strategy.backups.cozystack.io";
/** The group in which the document itself names a strategy of Jobs. */
export const JOB_DRIVER_GROUP = "jobdriver.backups.cozystack.io";
/** What an application belongs to whose reference names no group. */
export const APPLICATION_GROUP = "apps.cozystack.io";

export const VERSION = "v1alpha1";
