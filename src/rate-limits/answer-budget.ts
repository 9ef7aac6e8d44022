import type { FastifyInstance } from "fastify";
import { GatewayError } from "../errors";

/** The context of a request, by which its answer is found again; of a caller it says only whose memory it takes. */
interface Asked {
  readonly caller: { readonly kind: string; readonly organization?: { readonly id: string } };
}

/** Max characters of all answers that are being made or sent; measured, one takes 3 to 7 bytes of memory. */
export const MAX_CHARACTERS = 64_000_000;

/** Max characters of the answers of one organization: its clients may read as slowly as they like. */
export const MAX_CHARACTERS_OF_ORGANIZATION = MAX_CHARACTERS / 2;

/** Max characters of an answer that is not counted: `MAX_REQUESTS_IN_FLIGHT` bounds what these take. */
const SMALL_ANSWER_CHARACTERS = 50_000;

/** How long an answer waits for others (ms). */
const WAIT_TIMEOUT_MS = 2_000;

/** Whether an answer of at most so many characters is never counted. */
export const isSmallAnswer = (characters: number): boolean => characters <= SMALL_ANSWER_CHARACTERS;

interface Reservation {
  organization: string;
  characters: number;
  /** Starts the answer; undefined once it has started. */
  start?: (() => void) | undefined;
}

/**
 * Bounds the memory of large answers. Each reserves the most that it may hold before it is made, keeps its real size
 * until it has left, and waits a moment where that would be too much with all others.
 */
export class AnswerBudget {
  private readonly reservations = new Map<Asked, Reservation>();
  private total = 0;
  private readonly ofOrganization = new Map<string, number>();
  private waiting = 0;

  /** @param maxWaiting max answers that wait; further ones are refused without waiting */
  constructor(private readonly maxWaiting: number) {}

  /**
   * Reserves memory for the answer to a request.
   * @param characters the most that the answer may hold
   * @throws GatewayError `unavailable` when others take it all for too long
   */
  async admit(context: Asked, characters: number): Promise<void> {
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

  /** Follows the answers of an application from when they are made until they have left. */
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

  private release(context: Asked, reservation: Reservation): void {
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
