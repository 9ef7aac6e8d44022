export const contactScopes = {
  "contacts:read": "List and read contacts.",
  "contacts:write": "Add, change and erase contacts.",
  "contacts:export": "Read everything that is stored about a contact, messages and decisions included.",
};
