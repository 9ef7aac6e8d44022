import { registerEnumType } from "type-graphql";
import { AttemptOutcome } from "../delivery/driver";

registerEnumType(AttemptOutcome, {
  name: "AttemptOutcome",
  description: "Outcome of a delivery attempt.",
  valuesConfig: {
    accepted: { description: "The receiver accepted the message or event." },
    retryable: { description: "The attempt failed, but the receiver may accept the message or event later." },
    permanent: { description: "The receiver rejected the message or event permanently." },
    uncertain: { description: "It is unknown whether the receiver got the message or event." },
  },
});

export { AttemptOutcome };
