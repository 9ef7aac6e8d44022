import { hash, verify } from "@node-rs/argon2";
import { Mutex } from "../common/mutex";

/** Hash to verify when no account exists, so that the response time does not reveal which accounts exist. */
const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$XVJZGgRYG5164RvbbE/hiw$xto+hqX7ihCtm1v7f8wxbI2MDS1sOQww/0F2qIk6CGE";

// Hashes one password at a time, because each hash occupies a thread of the libuv pool, which SQLite also uses.
const queue = new Mutex();

/** Hashes a password with argon2id and OWASP's parameters (19 MiB, two passes), in PHC string format. */
export const hashPassword = (password: string): Promise<string> => queue.runExclusive(() => hash(password));

/** True if a password matches a hash; without a hash (no account), the check takes just as long but fails. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await queue.runExclusive(() => verify(passwordHash || DUMMY_HASH, password));
  return matches && Boolean(passwordHash);
}
