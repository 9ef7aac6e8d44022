import { crc32 } from "node:zlib";
import { toBase62 } from "../../src/credentials/base62";
import { mintApiKey } from "../../src/credentials/token-format";
import { mint } from "../support/gateway";
import { codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway((gateway) => {
  /** Returns the statements of one call, without the values. */
  const workOnce = async (token: string) => {
    const { database } = gateway.services;
    const spies = [
      jest.spyOn(database, "lookup"),
      jest.spyOn(database, "read"),
      jest.spyOn(database, "write"),
    ];
    const reply = await gateway.rest("GET", "/agent/whoami", { token });
    const work = spies.map(({ mock }) => mock.calls.length);
    for (const spy of spies) spy.mockRestore();
    return { code: codeOf(reply), work };
  };
  /** Returns the least work of a few calls, because housekeeping adds to some of them. */
  const workFor = async (token: string) => {
    const { code, work } = await workOnce(token);
    for (let i = 0; i < 10; i++)
      for (const [which, calls] of (await workOnce(token)).work.entries())
        work[which] = Math.min(work[which] as number, calls);
    return { code, work };
  };

  test("a key that does not exist costs one query, like a key with only a wrong secret", async () => {
    const { secret, hint } = await mint(gateway);
    // The public part of a real key, another secret, and the matching checksum.
    const body = `${hint}_${"A".repeat(22)}`;
    const forged = body + toBase62(crc32(body), 6);
    const unknown = await workFor(mintApiKey("dev").secret);
    expect(unknown).toEqual({ code: "invalid_api_key", work: [1, 0, 0] });
    expect(await workFor(forged)).toEqual(unknown);
    expect((await workFor(secret)).work).toEqual(unknown.work);
  });
});
