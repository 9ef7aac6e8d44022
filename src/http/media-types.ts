import Negotiator from "negotiator";

/**
 * True if a client prefers a media type to JSON (RFC 9110, 12.5.1).
 * @param accept the `Accept` header
 */
export const prefersToJson = (type: string, accept: string | undefined): boolean =>
  accept !== undefined &&
  new Negotiator({ headers: { accept } }).mediaType(["application/json", type]) === type;
