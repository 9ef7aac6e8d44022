import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { Decision } from "./decision.entity";

export const DecisionConnection = ConnectionOf(Decision, "decision", isUuid);
export type DecisionConnection = InstanceType<typeof DecisionConnection>;
