import { admissionScenarios } from "../scenarios/admission.ts";
import { clusterAdmission } from "../scenarios/admission_grounds.ts";

admissionScenarios(clusterAdmission, { hasRights: true });
