import { v5 as nameUuid } from "uuid";

/** Lane kind for webhook deliveries. */
export const WEBHOOK_LANE = "webhook";

/** Returns the ID of the lane for deliveries to an endpoint about a subject; the same in every process. */
export const laneIdOf = (endpointId: string, subject: string): string => nameUuid(subject, endpointId);
