// 400 sign-in attempts per second, each from a new IPv6 network: half for one account, the others each for a new one.
import { addMember, addressOf, signInRequest } from "../fixture.mjs";

export const expect = {
  attackCpuMs: 80,
  peakMebibytes: 450,
};

const PER_SECOND = 400;

export const environment = { TRUST_PROXY: "true" };

export const prepare = ({ url }) => addMember(url, "org-1");

export async function run(traffic, { random, prepared }) {
  const { email } = prepared;
  await traffic.openLoop(PER_SECOND, (i) => {
    const input = { email: i % 2 === 0 ? email : `stranger-${i}@example.com`, password: "a wrong password" };
    return traffic.send(signInRequest(input, addressOf(random)));
  });
}
