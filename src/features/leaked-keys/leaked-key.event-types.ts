import { ID, object, orNull, TEXT } from "../../schema/event-type";

export const leakedKeyEventTypes = {
  "api_key.leaked": {
    description: "An API key was revoked because it was reported as leaked.",
    data: object({ id: ID, name: TEXT, hint: TEXT, url: orNull(TEXT) }),
  },
};
