import { timestamp } from "../../src/common/time";
import { Passkey } from "../../src/features/members/passkey.entity";
import { Authenticator, type Deviation } from "./authenticator";
import type { Call, Reply, TestGateway } from "./gateway";
import type { TestMember } from "./people";

export const START_REGISTRATION = "mutation { startPasskeyRegistration { options expiresAt } }";
export const ADD_PASSKEY =
  "mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { id name createdAt lastUsedAt } }";
export const START_SIGN_IN =
  "mutation ($input: StartPasskeySignInInput!) { startPasskeySignIn(input: $input) { options expiresAt } }";
export const SIGN_IN_WITH_PASSKEY =
  "mutation ($input: SignInWithPasskeyInput!) { signInWithPasskey(input: $input) { token member { id } } }";

/** Starts adding a passkey to a member. */
export const startRegistration = async (gateway: TestGateway, { token }: Pick<TestMember, "token">) =>
  (await gateway.graphql(START_REGISTRATION, {}, { token })).body.data.startPasskeyRegistration.options;

/**
 * Adds a passkey to a member.
 * @param authenticator the authenticator that stores it; by default a new one
 */
export async function addPasskey(
  gateway: TestGateway,
  member: Pick<TestMember, "token">,
  { name = "Laptop", authenticator = new Authenticator(PASSKEY_ORIGIN) } = {},
): Promise<{ id: string; authenticator: Authenticator }> {
  const input = { ...authenticator.create(await startRegistration(gateway, member)), name };
  const { body } = await gateway.graphql(ADD_PASSKEY, { input }, { token: member.token });
  return { id: body.data.addPasskey.id, authenticator };
}

/**
 * Stores a passkey that is in no authenticator.
 * @returns its ID
 */
export async function storePasskey({ services }: TestGateway, memberId: string, name = "x"): Promise<string> {
  const [id, credentialId] = [crypto.randomUUID(), crypto.randomUUID()];
  const rest = { publicKey: "", counter: 0, transports: [], createdAt: timestamp(), lastUsedAt: null };
  await services.database.write((tx) => tx.insert(Passkey, { id, memberId, credentialId, name, ...rest }));
  return id;
}

/** The public URL of gateways whose members have passkeys. */
export const PASSKEY_ORIGIN = "https://gateway.example.com";

/** Starts a sign-in with a passkey. */
export const startSignIn = async (
  gateway: TestGateway,
  credentials?: Pick<TestMember, "email" | "password">,
  call: Call = {},
) => {
  const given = credentials && { email: credentials.email, password: credentials.password };
  const reply = await gateway.graphql(
    START_SIGN_IN,
    { input: { credentials: given } },
    { token: null, ...call },
  );
  return reply.body.data.startPasskeySignIn.options;
};

/** Signs in with only a passkey. */
export async function signInWithPasskey(
  gateway: TestGateway,
  authenticator: Authenticator,
  deviation: Deviation = {},
): Promise<Reply> {
  const input = authenticator.get(await startSignIn(gateway), deviation);
  return gateway.graphql(SIGN_IN_WITH_PASSKEY, { input }, { token: null });
}
