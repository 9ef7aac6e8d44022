// 50 connections try wrong passwords for one account, all from one address.
import { addMember, signInRequest } from "../fixture.mjs";

export const expect = {
  attackCpuMs: 15,
};

const CONNECTIONS = 50;
const MAX_REQUESTS = 20_000;

export const environment = { TRUST_PROXY: "true" };

export const prepare = ({ url }) => addMember(url, "org-2");

export async function run(traffic, { prepared: { email } }) {
  const attempt = signInRequest({ email, password: "a wrong password" }, "192.0.2.1");
  await traffic.closedLoop(CONNECTIONS, () => traffic.send(attempt), MAX_REQUESTS);
}
