import type { FastifyInstance } from "fastify";
import { Budget } from "../common/budget";
import { GatewayError } from "../errors";

/** The part of a call context that the budget needs: the response and the organization to charge. */
interface ResponseContext {
  readonly answer?: object | undefined;
  readonly caller: { readonly kind: string; readonly organization?: { readonly id: string } };
}

/** Max characters of all large responses in memory, at a measured 3 to 7 bytes per character. */
export const MAX_CHARACTERS = 64_000_000;

/** Max characters per organization, so that slow clients of one organization do not block the others. */
export const MAX_CHARACTERS_OF_ORGANIZATION = MAX_CHARACTERS / 2;

/** Max characters of a response that is not counted; `MAX_REQUESTS_IN_FLIGHT` bounds the memory of these responses. */
const SMALL_RESPONSE_CHARACTERS = 50_000;

/** Max time that a response may wait for memory (ms). */
const WAIT_TIMEOUT_MS = 2_000;

/** True if a response of this size bypasses the budget. */
export const isSmallResponse = (characters: number): boolean => characters <= SMALL_RESPONSE_CHARACTERS;

interface Reservation {
  organization: string;
  characters: number;
  /** Releases the characters; undefined while the response is waiting for them. */
  release?: (() => void) | undefined;
  /** Resumes a waiting request. */
  resume?: (() => void) | undefined;
}

/**
 * Bounds the memory of large responses. Each response reserves its maximum size before it is built, waiting briefly if
 * the budget is exhausted. Once it is built, only its actual size remains reserved until it is sent.
 */
export class ResponseBudget {
  private readonly budget = new Budget(MAX_CHARACTERS, MAX_CHARACTERS_OF_ORGANIZATION);
  private readonly reservations = new Map<object, Reservation>();
  private waiting = 0;

  /** @param maxWaiting max waiting responses; beyond that, responses are rejected immediately */
  constructor(private readonly maxWaiting: number) {}

  /** Reserves memory for a response, given its max size; throws `unavailable` if too many wait or for too long. */
  async admit({ answer, caller }: ResponseContext, characters: number): Promise<void> {
    if (answer === undefined || isSmallResponse(characters)) return;
    const organization = caller.organization?.id ?? "";
    const release = this.budget.take([organization], characters);
    const reservation: Reservation = { organization, characters, release };
    this.reservations.set(answer, reservation);
    if (release !== undefined) return;
    await new Promise<void>((resolve, reject) => {
      const rejectRequest = () => {
        this.reservations.delete(answer);
        reject(
          new GatewayError("unavailable", "Too many large responses are being generated. Try again soon."),
        );
      };
      if (this.waiting >= this.maxWaiting) return rejectRequest();
      this.waiting++;
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.waiting--;
        reservation.resume = undefined;
        settle();
      };
      const timer = setTimeout(() => end(rejectRequest), WAIT_TIMEOUT_MS);
      reservation.resume = () => end(resolve);
    });
  }

  /** Registers hooks that replace a reservation with the actual size and release it once the response is sent. */
  track(app: FastifyInstance): void {
    app.addHook("onSend", (request, { raw }, payload, done) => {
      const answer = request.callContext?.answer;
      const reservation = answer && this.reservations.get(answer);
      if (answer !== undefined && reservation !== undefined) {
        if (reservation.release && typeof payload === "string" && !raw.destroyed) {
          this.shrink(reservation, payload.length);
          raw.once("close", () => this.remove(answer, reservation));
        } else {
          this.remove(answer, reservation);
        }
      }
      done(null, payload);
    });
  }

  private shrink(reservation: Reservation, characters: number): void {
    if (characters >= reservation.characters) return;
    reservation.release?.();
    reservation.release = this.budget.take([reservation.organization], characters);
    this.resumeWaiting();
  }

  private remove(answer: object, { resume, release }: Reservation): void {
    this.reservations.delete(answer);
    resume?.();
    release?.();
    this.resumeWaiting();
  }

  private resumeWaiting(): void {
    for (const reservation of this.reservations.values()) {
      if (reservation.resume === undefined) continue;
      reservation.release = this.budget.take([reservation.organization], reservation.characters);
      if (reservation.release !== undefined) reservation.resume();
    }
  }
}
