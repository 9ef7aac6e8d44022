// The parts of the statements that both databases share.

export const PET_COLUMNS = `id, name, category_id as "categoryId", status`;

export const IDENTITY_COLUMNS = `
  k.id as "keyId", k.name as "keyName", k.hint as "keyHint", k.created_at as "keyCreatedAt",
  k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
  a.id as "agentId", a.slug as "agentSlug", a.name as "agentName",
  o.id as "organizationId", o.slug as "organizationSlug", o.name as "organizationName",
  o.deactivated_at as "deactivatedAt"`;

export const IDENTITY_TABLES =
  "api_key k join agent a on a.id = k.agent_id join organization o on o.id = a.organization_id";
