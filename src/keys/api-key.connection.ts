import { ConnectionOf } from "../graphql/connection";
import { isUuid } from "../validation/uuid";
import { ApiKey } from "./api-key.entity";

export const ApiKeyConnection = ConnectionOf(ApiKey, "apiKey", isUuid);
export type ApiKeyConnection = InstanceType<typeof ApiKeyConnection>;
