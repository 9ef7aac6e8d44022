/** What a client is told that it did wrong: an HTTP status and a code of the product's table. */
export class Refusal extends Error {
  constructor(status, code, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
