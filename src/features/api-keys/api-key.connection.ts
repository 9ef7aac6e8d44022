import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { ApiKey } from "./api-key.entity";

export const ApiKeyConnection = ConnectionOf(ApiKey, "apiKey", isUuid);
export type ApiKeyConnection = InstanceType<typeof ApiKeyConnection>;
