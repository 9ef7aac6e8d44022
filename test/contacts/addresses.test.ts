import { normalizeAddress } from "../../src/features/contacts/addresses";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";

const { phone, email, local } = AddressKind;

test.each<[AddressKind, string, string[]]>([
  [
    phone,
    "+41446681800",
    [
      "0041446681800",
      "00 41 44 668 18 00",
      "tel:+41-44-668-18-00",
      "whatsapp:+41446681800",
      "\u202a+41 44 668 18 00\u202c",
    ],
  ],
  [
    phone,
    "+525512345678",
    ["+5215512345678", "whatsapp:+5215512345678", "+52 1 55 1234 5678", "00525512345678"],
  ],
  [phone, "72345", ["72345", "sms:72345", "\ufeff72345"]],
  [phone, "ACME Shop", ["ACME Shop", "ACME Shop\u200b"]],
  [
    email,
    "ada@example.com",
    ["\u200eada@example.com", "ada\u00ad@exam\u200bple.com", "\ufeffAda@Example.com "],
  ],
  [local, "a\u200db", ["a\u200db"]],
])("the %s address %j is the same in any notation", (kind, address, notations) => {
  for (const each of notations) expect([each, normalizeAddress(kind, each)]).toEqual([each, { address }]);
});

test.each<[AddressKind, string]>([
  [phone, "0446681800"],
  [phone, "000446681800"],
  [phone, "fax:+41446681800"],
  [phone, "tel:"],
  [email, "\u200b"],
  [email, "ada\u2028@example.com"],
  [email, '"ada\\"@example.com'],
])("%s %j is not an address", (kind, text) => {
  expect(normalizeAddress(kind, text)).toHaveProperty("problem");
});
