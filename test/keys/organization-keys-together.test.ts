import { mint, mintForOrganization, operator, type Reply } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { codeOf } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";

/** Number of runs for each pair of changes, because a deadlock requires a certain order of statements. */
const ROUNDS = cases(10);

/** Settings that an organization key could have minted. */
const LIMITED: Parameters<typeof mint>[1] = { scopes: ["pets:read"], allowedNetworks: ["127.0.0.0/8"] };

interface Key {
  id: string;
  secret: string;
}

describeGateway((gateway) => {
  const client = apiKeyClient(gateway);
  const keepReplaced = (id: string) =>
    gateway.graphql(
      "mutation ($id: ID!) { revokeApiKey(input: { id: $id, keepReplaced: true }) { id } }",
      { id },
      { token: gateway.owner },
    );
  const stateOf = async ({ id }: Key) => {
    const key = await gateway.services.keys.find(await operator(gateway), id);
    return { state: key?.state, isReplaced: key?.replacedById !== null, description: key?.description };
  };

  /** Changes by one key to another. */
  const CHANGES = {
    revoke: ({ secret }: Key, { id }: Key) => client.revoke(id, { token: secret }),
    rotate: ({ secret }: Key, { id }: Key) => client.rotate(id, 0, { token: secret }),
    "rotate with grace": ({ secret }: Key, { id }: Key) => client.rotate(id, 60, { token: secret }),
    update: ({ secret }: Key, { id }: Key) =>
      client.update(id, { description: "changed" }, { token: secret }),
  } satisfies Record<string, (by: Key, other: Key) => Promise<Reply>>;
  type Change = keyof typeof CHANGES;
  const names = Object.keys(CHANGES) as Change[];
  const pairs = names.flatMap((one, i) => names.slice(i).map((other): [Change, Change] => [one, other]));

  /** Returns the error code for a change by a key that has just been changed; undefined if it is still allowed. */
  const rejectionOf = (change: Change, after: Change): string | undefined => {
    if (after === "revoke" || after === "rotate") return "key_revoked";
    // The key now expires at the end of its grace period.
    return after === "rotate with grace" && change.startsWith("rotate") ? "forbidden" : undefined;
  };

  test.each(pairs)("two keys that %s and %s each other wait for each other", async (one, other) => {
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second] = [await mintForOrganization(gateway), await mintForOrganization(gateway)];
      const replies = await Promise.all([CHANGES[one](first, second), CHANGES[other](second, first)]);
      const codes = replies.map(codeOf);
      // The outcome is the same as one after the other, in either order.
      expect([
        [undefined, rejectionOf(other, one)],
        [rejectionOf(one, other), undefined],
      ]).toContainEqual(codes);
      for (const [target, change, code] of [
        [second, one, codes[0]],
        [first, other, codes[1]],
      ] as const) {
        const made = code === undefined ? change : undefined;
        expect(await stateOf(target)).toEqual({
          state: made === "revoke" || made === "rotate" ? "revoked" : "active",
          isReplaced: made === "rotate" || made === "rotate with grace",
          description: made === "update" ? "changed" : null,
        });
      }
    }
  });

  test("the retry of a rotation waits for its undoing, and the other way round", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [by, old] = [await mintForOrganization(gateway), await mint(gateway, LIMITED)];
      const rotate = () => client.rotate(old.id, 60, { token: by.secret, idempotencyKey: old.id });
      const { body } = await rotate();
      const undo = keepReplaced(body.data.rotateApiKey.apiKey.id);
      const [retried, undone] = (await Promise.all([rotate(), undo])).map(codeOf);
      // If the rotation is undone first, there is nothing to retry. Otherwise, the key in the lost response is already
      // revoked.
      expect([undefined, "conflict"]).toContain(retried);
      expect(undone).toBeUndefined();
    }
  });
});
