import { hash, verify } from "@node-rs/argon2";
import { Mutex } from "../common/mutex";

/** A hash that stands in for an account that does not exist, so that looking at it takes as long. */
const NOBODY =
  "$argon2id$v=19$m=19456,t=2,p=1$XVJZGgRYG5164RvbbE/hiw$xto+hqX7ihCtm1v7f8wxbI2MDS1sOQww/0F2qIk6CGE";

// One at a time: each fills a thread of the pool that the embedded database also works on.
const queue = new Mutex();

/** argon2id of a password with OWASP's parameters (19 MiB, two passes), in PHC string format. */
export const hashPassword = (password: string): Promise<string> => queue.run(() => hash(password));

/**
 * Whether a password is the one behind the hash.
 * @param passwordHash undefined for an account that does not exist, which takes as long and is never right
 */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await queue.run(() => verify(passwordHash ?? NOBODY, password));
  return matches && passwordHash !== undefined;
}
