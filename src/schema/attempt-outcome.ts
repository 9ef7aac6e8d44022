import { registerEnumType } from "type-graphql";
import { AttemptOutcome } from "../delivery/driver";

registerEnumType(AttemptOutcome, {
  name: "AttemptOutcome",
  description: "Outcome of a delivery attempt.",
  valuesConfig: {
    accepted: { description: "The receiver has it." },
    retryable: { description: "The receiver does not have it, and may take it later." },
    permanent: { description: "The receiver does not have it, and will not take it." },
    uncertain: { description: "It is unknown whether the receiver got the message." },
  },
});

export { AttemptOutcome };
