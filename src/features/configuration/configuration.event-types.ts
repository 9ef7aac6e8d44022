import { NUMBER, object, orNull, TEXT } from "../../schema/event-type";

export const configurationEventTypes = {
  "configuration.published": {
    description: "A version of the configuration was published.",
    data: object({
      version: NUMBER,
      digest: TEXT,
      note: orNull(TEXT),
      restoredFrom: orNull(NUMBER),
    }),
  },
};
