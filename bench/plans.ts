import { backupClassResource } from "../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../src/kinds/cozystack/generated/backup_job.ts";
import { planResource } from "../src/kinds/cozystack/generated/plan.ts";
import { volumeResource } from "../src/kinds/cozystack/generated/volume.ts";
import { CozystackWorld, DATABASE } from "../test/unit/runs/cozystack/cozystack_world.ts";
import { atMost, type Figure } from "./figures.ts";

const PLANS = 1_000;
const SECOND = 1_000;
const DUE = "2026-01-01T00:10:00Z";

/**
 * Very many Plans of one minute, in virtual time, before an API server in this process, at the rate of requests that the
 * shipped operator keeps to, and shares with what works on their BackupJobs.
 */
export async function planFigures(say: (line: string) => void): Promise<Figure[]> {
  say(`${PLANS} Plans of one minute`);
  await using world = await new CozystackWorld({ budgeted: true, native: true }).start();
  await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } });
  const strategies = [{ strategyRef: { kind: "Volume", name: "volumes" }, application: DATABASE }];
  await world.create(backupClassResource, "standard", { strategies });
  const schedule = { cron: "10 0 * * *" };
  const spec = { applicationRef: DATABASE, backupClassName: "standard", schedule };
  for (let i = 0; i < PLANS; i += 1) await world.create(planResource, `plan-${i}`, spec);
  await world.turns(60, 8 * SECOND);
  await world.turns(1, Math.max(0, Date.parse(DUE) - world.clock.now()));
  await world.turns(90, SECOND);
  const jobs = await world.all(backupJobResource);
  const plans = new Set(jobs.map((job) => job.spec.planRef?.name));
  const late = jobs.map(({ metadata }) => Date.parse(metadata.creationTimestamp) - Date.parse(DUE));
  return [
    atMost(`${PLANS} Plans of one minute: without a BackupJob`, PLANS - plans.size, "", 0),
    atMost("with more than one", jobs.length - plans.size, "", 0),
    atMost("late, the latest, at the operator's rate of requests", Math.max(...late) / 1000, "s", 60),
  ];
}
