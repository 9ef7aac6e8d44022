import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { Timer } from "./timer.entity";

export const TimerConnection = ConnectionOf(Timer, "timer", isUuid);
export type TimerConnection = InstanceType<typeof TimerConnection>;
