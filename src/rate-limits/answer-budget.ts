import type { FastifyInstance } from "fastify";
import { GatewayError } from "../errors";

/** The part of a call context that the budget needs: its identity and the organization to charge. */
interface AnswerContext {
  readonly caller: { readonly kind: string; readonly organization?: { readonly id: string } };
}

/** Max characters of all large answers in memory; a character was measured to take 3 to 7 bytes. */
export const MAX_CHARACTERS = 64_000_000;

/** Max characters per organization, so that slow clients of one organization do not block the others. */
export const MAX_CHARACTERS_OF_ORGANIZATION = MAX_CHARACTERS / 2;

/** Max characters of an uncounted answer; `MAX_REQUESTS_IN_FLIGHT` bounds the memory of these. */
const SMALL_ANSWER_CHARACTERS = 50_000;

/** How long an answer waits for memory (ms). */
const WAIT_TIMEOUT_MS = 2_000;

/** Tells whether an answer of this size bypasses the budget. */
export const isSmallAnswer = (characters: number): boolean => characters <= SMALL_ANSWER_CHARACTERS;

interface Reservation {
  organization: string;
  characters: number;
  /** Resumes a waiting request; undefined once the answer is counted. */
  start?: (() => void) | undefined;
}

/**
 * Bounds the memory of large answers. Each answer reserves its maximum size before it is built, keeps its actual size
 * until it is sent, and waits briefly while the budget is exhausted.
 */
export class AnswerBudget {
  private readonly reservations = new Map<AnswerContext, Reservation>();
  private total = 0;
  private readonly ofOrganization = new Map<string, number>();
  private waiting = 0;

  /** @param maxWaiting max waiting answers; further ones are refused immediately */
  constructor(private readonly maxWaiting: number) {}

  /**
   * Reserves memory for the answer to a request.
   * @param characters max size of the answer
   * @throws GatewayError `unavailable` when too many answers wait, or the wait times out
   */
  async admit(context: AnswerContext, characters: number): Promise<void> {
    if (isSmallAnswer(characters)) return;
    const organization = context.caller.organization?.id ?? "";
    const reservation: Reservation = { organization, characters };
    this.reservations.set(context, reservation);
    if (this.fits(reservation)) {
      this.count(reservation, characters);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const refuse = () => {
        this.reservations.delete(context);
        reject(new GatewayError("unavailable", "Too many large answers are being made. Try again shortly."));
      };
      if (this.waiting >= this.maxWaiting) return refuse();
      this.waiting++;
      const end = (how: () => void) => {
        clearTimeout(timer);
        this.waiting--;
        reservation.start = undefined;
        how();
      };
      const timer = setTimeout(() => end(refuse), WAIT_TIMEOUT_MS);
      reservation.start = () => end(resolve);
    });
  }

  /** Registers hooks that replace a reservation by the actual size and release it once the answer is sent. */
  follow(app: FastifyInstance): void {
    app.addHook("onSend", (request, { raw }, payload, done) => {
      const reservation = this.reservations.get(request.callContext);
      if (reservation !== undefined) {
        if (!reservation.start && typeof payload === "string" && !raw.destroyed) {
          this.count(reservation, payload.length - reservation.characters);
          reservation.characters = payload.length;
          raw.once("close", () => this.release(request.callContext, reservation));
        } else {
          this.release(request.callContext, reservation);
        }
        this.startWaiting();
      }
      done(null, payload);
    });
  }

  private release(context: AnswerContext, reservation: Reservation): void {
    this.reservations.delete(context);
    if (reservation.start) reservation.start();
    else this.count(reservation, -reservation.characters);
    this.startWaiting();
  }

  private startWaiting(): void {
    for (const reservation of this.reservations.values()) {
      if (!reservation.start || !this.fits(reservation)) continue;
      this.count(reservation, reservation.characters);
      reservation.start();
    }
  }

  private fits({ organization, characters }: Reservation): boolean {
    const ofOrganization = this.ofOrganization.get(organization) ?? 0;
    return (
      this.total + characters <= MAX_CHARACTERS &&
      ofOrganization + characters <= MAX_CHARACTERS_OF_ORGANIZATION
    );
  }

  private count({ organization }: Reservation, characters: number): void {
    this.total += characters;
    const ofOrganization = (this.ofOrganization.get(organization) ?? 0) + characters;
    if (ofOrganization === 0) this.ofOrganization.delete(organization);
    else this.ofOrganization.set(organization, ofOrganization);
  }
}
