import { moverCases } from "./mover_cases.ts";

moverCases("restic");
