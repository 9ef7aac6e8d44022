export const contactScopes = {
  "contacts:read": "List and read contacts.",
  "contacts:write": "Add, change and erase contacts.",
  "contacts:export": "Read everything stored about a contact, including messages and decisions.",
};
