import Negotiator from "negotiator";

/** True if an `Accept` header prefers a media type to JSON (RFC 9110, 12.5.1). */
export const prefersToJson = (type: string, accept: string | undefined): boolean =>
  accept !== undefined &&
  new Negotiator({ headers: { accept } }).mediaType(["application/json", type]) === type;
