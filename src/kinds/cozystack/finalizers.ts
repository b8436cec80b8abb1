import { STRATEGY_GROUP } from "./group.ts";

/** On a Backup of a driver of ours: its artifact goes before it. */
export const ARTIFACT = `${STRATEGY_GROUP}/artifact`;
/** On a job of a driver of ours: what was begun for it ends before it goes. */
export const RUNNING = `${STRATEGY_GROUP}/running`;
