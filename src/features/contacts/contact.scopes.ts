export const contactScopes = {
  "contacts:read": "List and read contacts.",
  "contacts:write": "Add, change and erase contacts.",
};
