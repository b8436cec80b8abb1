import { admissionScenarios } from "../scenarios/admission.ts";
import { embeddedAdmission } from "../scenarios/admission_grounds.ts";

admissionScenarios(embeddedAdmission, { hasRights: false });
