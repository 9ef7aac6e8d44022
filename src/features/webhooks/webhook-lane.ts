import { v5 as nameUuid } from "uuid";

/** The ID of the lane of a subject's deliveries to an endpoint, the same in every process. */
export const laneIdOf = (endpointId: string, subject: string): string => nameUuid(subject, endpointId);
