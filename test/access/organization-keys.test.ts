import { type GraphQLNamedType, type GraphQLObjectType, getNamedType, isObjectType } from "graphql";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";

/** Object types whose fields organization keys can select, regardless of their scopes. */
const READABLE = [
  "ActivityCount",
  "Agent",
  "AgentIdentity",
  "ApiKey",
  "ApiKeyConnection",
  "ApiKeyEdge",
  "ApiKeyIdentity",
  "AttentionItem",
  "AuditChange",
  "AuditEntry",
  "AuditEntryConnection",
  "AuditEntryEdge",
  "Configuration",
  "ConfigurationCheck",
  "ConfigurationClauseCoverage",
  "ConfigurationDecider",
  "ConfigurationDraft",
  "ConfigurationLine",
  "ConfigurationProblem",
  "ConfigurationRuleCoverage",
  "ConfigurationTestDifference",
  "ConfigurationTestResult",
  "ConfigurationTests",
  "ConfigurationVersion",
  "ConfigurationVersionConnection",
  "ConfigurationVersionEdge",
  "CookieSession",
  "DeprecatedUse",
  "DeprecatedUseReport",
  "Invitation",
  "KeyUsage",
  "Line",
  "LineActivity",
  "LineEmail",
  "LineFault",
  "LineTest",
  "LineWebhook",
  "LineWithSecret",
  "Member",
  "MemberIdentity",
  "MintedApiKey",
  "MissedEvents",
  "OperationUse",
  "Organization",
  "PageInfo",
  "PasskeyOptions",
  "SavedConfigurationDraft",
  "SignInOptions",
  "SignedIn",
  "SourcePosition",
  "UsageBucket",
  "UsageTotals",
  "WebhookAttempt",
  "WebhookDelivery",
  "WebhookDeliveryConnection",
  "WebhookDeliveryEdge",
  "WebhookEndpoint",
  "WebhookEndpointWithSecret",
  "WebhookTest",
];

test("no field leads organization keys to a type with contact data", () => {
  const schema = createSchema();
  const reached = new Set<string>();
  const visit = (type: GraphQLNamedType): void => {
    if (!isObjectType(type) || reached.has(type.name)) return;
    reached.add(type.name);
    visitFields(type);
  };
  const visitFields = (type: GraphQLObjectType): void => {
    for (const field of Object.values(type.getFields())) {
      const allowed = accessOf(field)?.allowed;
      // A field without a rule can be read by every caller who can read its object.
      if (typeof allowed === "object" && allowed.organizationKey === undefined) continue;
      visit(getNamedType(field.type));
    }
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    if (root) visitFields(root);
  expect([...reached].sort()).toEqual(READABLE);
});
