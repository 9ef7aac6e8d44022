export const petScopes = {
  "pets:read": "List and read pets.",
  "pets:write": "Add pets.",
};
