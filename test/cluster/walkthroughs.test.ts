import { walkthroughs } from "../scenarios/walkthroughs.ts";
import { chartWorld } from "./chart_world.ts";

walkthroughs(chartWorld);
