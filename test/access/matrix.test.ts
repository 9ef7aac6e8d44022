import { ERRORS } from "../../src/errors";
import { ROUTES } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";
import type { Reply } from "../support/gateway";
import { callTool, rpc, toolError } from "../support/mcp";
import { PASSKEY_ORIGIN } from "../support/passkeys";
import { codeOf } from "../support/people";
import { challengeOf } from "../support/rejections";
import { describeGateway } from "../support/suite";
import { casesOf } from "../support/tiers";
import { outcomeBySocket } from "../support/web-socket";
import { type AccessFixture, accessFixture, CALLERS, type CallerName } from "./callers";
import { FIELDS, type Outcome, type Outcomes, ROUTES_TABLE } from "./table";

const fieldsOf = (["Query", "Mutation", "Subscription"] as const).flatMap((type) => {
  const fields = createSchema()[`get${type}Type`]()?.getFields() ?? {};
  return Object.values(fields).map((field) => ({ coordinate: `${type}.${field.name}`, field }));
});

test("every field of Query, Mutation and Subscription declares who may call it, and is in the table", () => {
  expect(fieldsOf.filter(({ field }) => accessOf(field) === undefined)).toEqual([]);
  expect(Object.keys(FIELDS).sort()).toEqual(fieldsOf.map(({ coordinate }) => coordinate).sort());
});

test("every REST route is in the table", () => {
  expect(ROUTES_TABLE.map(({ operationId }) => operationId)).toEqual(
    ROUTES.map((route) => route.operationId),
  );
});

/** Returns a tool's arguments: its route's path parameters and the members of the body. */
function argumentsOf({ operationId, path }: (typeof ROUTES_TABLE)[number], id: string, body: unknown) {
  const template = ROUTES.find((route) => route.operationId === operationId)?.path.split("/") ?? [];
  const segments = path.replace(":id", id).split("/");
  const parameters = template.flatMap((name, i) => {
    const value = segments[i] ?? "";
    return name.startsWith(":") ? [[name.slice(1), name === ":version" ? Number(value) : value]] : [];
  });
  return { ...Object.fromEntries(parameters), ...(body as object | undefined) };
}

/** Returns one call of each kind. */
const kindsOf = <T>(all: readonly T[], kindOf: (each: T) => unknown): readonly T[] => [
  ...new Map(all.map((each) => [JSON.stringify(kindOf(each)), each])).values(),
];

/** Returns one call of each kind in `npm test`, and the other calls in the rest. */
const oneOfEach: typeof kindsOf = (all, kindOf) => casesOf(all, kindsOf(all, kindOf));

const declaration = new Map(fieldsOf.map(({ coordinate, field }) => [coordinate, accessOf(field)]));

/** Fields whose calls may end sessions or switch organizations. */
const DISTURBING =
  /^Mutation\.(sign[A-Z]\w+|(change|remove)(Password|Email)|endSession|(add|rename)Passkey|removeMember|(de|re)activateOrganization)$/;

const isSubscription = (coordinate: string) => coordinate.startsWith("Subscription.");
const BY_HTTP = Object.entries(FIELDS).filter(([coordinate]) => !isSubscription(coordinate));
const BY_WEB_SOCKET = Object.entries(FIELDS).filter(([coordinate]) => isSubscription(coordinate));

const SOME_ROUTES = oneOfEach(ROUTES_TABLE, ({ method, outcomes }) => [method, outcomes]);

const statusOf = (outcome: Outcome) => (outcome === "ok" ? 200 : ERRORS[outcome].status);

const TOOLS = ROUTES_TABLE.filter(({ operationId }) =>
  ROUTES.some((route) => route.operationId === operationId && route.isForModels !== false),
);

describeGateway({ engine: "any", env: { PUBLIC_URL: PASSKEY_ORIGIN } }, (gateway) => {
  let fixture: AccessFixture;
  beforeAll(async () => {
    fixture = await accessFixture(gateway);
    // A pet to get.
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  });

  /**
   * Returns each caller's outcome. Callers take turns, because some calls change the outcomes of others.
   * @param disturbs true to restore sessions and organizations after each call
   */
  async function outcomesOf(
    disturbs: boolean,
    call: (token: string | null, caller: CallerName) => Promise<Reply>,
  ) {
    const got: Record<string, { outcome: string; status: number }> = {};
    for (const caller of CALLERS) {
      const reply = await call(fixture.tokenOf(caller), caller);
      got[caller] = { outcome: codeOf(reply) ?? "ok", status: reply.status };
      expect(reply.headers.get("www-authenticate")).toBe(challengeOf(reply));
      if (disturbs && codeOf(reply) === undefined) await fixture.restore(caller);
    }
    return got;
  }

  /**
   * Returns the variables of a call for each caller. Rejected callers change nothing, so they share variables that do
   * not depend on the caller.
   */
  function variablesFor<V>({
    outcomes,
    variables = async () => undefined,
  }: {
    outcomes: Outcomes;
    variables?: (fixture: AccessFixture, caller: CallerName) => Promise<V | undefined>;
  }) {
    let shared: Promise<V | undefined> | undefined;
    return (caller: CallerName) => {
      if (outcomes[caller] === "ok" || variables.length > 1) return variables(fixture, caller);
      shared ??= variables(fixture, caller);
      return shared;
    };
  }

  /** @param success status of the response to an admitted caller */
  const withStatus = (outcomes: Outcomes, success = statusOf("ok")) =>
    Object.fromEntries(
      Object.entries(outcomes).map(([caller, outcome]) => [
        caller,
        { outcome, status: outcome === "ok" ? success : statusOf(outcome) },
      ]),
    );

  test.each(oneOfEach(BY_HTTP, ([coordinate, { outcomes }]) => [declaration.get(coordinate), outcomes]))(
    "%s admits the right callers, and tells the others why they are rejected",
    async (...args) => {
      const [coordinate, field] = args;
      const variables = variablesFor(field);
      const got = await outcomesOf(DISTURBING.test(coordinate), async (token, caller) =>
        gateway.graphql(field.document, await variables(caller), { token }),
      );
      expect(got).toEqual(withStatus(field.outcomes));
    },
  );

  test.each(BY_WEB_SOCKET)(
    "%s streams to the right callers, and tells the others why they are rejected",
    async (_, { outcomes, document, variables }) => {
      const got: Record<string, string> = {};
      for (const caller of CALLERS) {
        const token = fixture.tokenOf(caller) ?? undefined;
        got[caller] = await outcomeBySocket(gateway, token, document, await variables?.(fixture, caller));
      }
      expect(got).toEqual(outcomes);
    },
  );

  test.each(SOME_ROUTES)(
    "$method $path admits the right keys, and tells the others why they are rejected",
    async (route) => {
      const { method, outcomes } = route;
      const variables = variablesFor(route);
      const got = await outcomesOf(false, async (token, caller) => {
        const { id = "", body = route.body } = (await variables(caller)) ?? {};
        return gateway.rest(method, route.path.replace(":id", id), { token, body });
      });
      const { status = 200 } = ROUTES.find(({ operationId }) => operationId === route.operationId) ?? {};
      const statuses = typeof status === "object" ? status.oneOf : [status];
      const caller = CALLERS.find((each) => outcomes[each] === "ok") ?? "anonymous";
      const success = statuses.find((each) => each === got[caller]?.status);
      expect(success).toBeDefined();
      expect(got).toEqual(withStatus(outcomes, success));
    },
  );

  test("a caller sees the tools whose routes admit it", async () => {
    for (const caller of CALLERS) {
      const { body } = await rpc(gateway, "tools/list", {}, { token: fixture.tokenOf(caller) });
      const listed = new Set((body.result?.tools ?? []).map(({ name }: { name: string }) => name));
      const admitted = TOOLS.filter(({ outcomes }) => ["ok", "not_found"].includes(outcomes[caller]));
      expect([caller, TOOLS.filter(({ operationId }) => listed.has(operationId))]).toEqual([
        caller,
        admitted,
      ]);
    }
  });

  test.each(kindsOf(TOOLS, ({ method, outcomes }) => [method, outcomes]))(
    "the tool $operationId admits the same callers as its route",
    async (route) => {
      const { operationId, outcomes } = route;
      const variables = variablesFor(route);
      const got: Record<string, string> = {};
      for (const caller of CALLERS) {
        const { id = "", body = route.body } = (await variables(caller)) ?? {};
        const args = argumentsOf(route, id, body);
        const reply = await callTool(gateway, operationId, args, { token: fixture.tokenOf(caller) });
        const error = toolError(reply) ?? (reply.status === 200 ? undefined : reply.body);
        got[caller] = error?.code ?? "ok";
      }
      expect(got).toEqual(outcomes);
    },
  );
});
