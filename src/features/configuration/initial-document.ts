import type { ConfigurationDocument } from "./document/format";

/** A new agent's configuration, which tells a contact that an order has shipped. */
export const INITIAL_DOCUMENT: ConfigurationDocument = {
  format: 1,
  situations: { "order.shipped": { orderId: "string", tracking: "string?" } },
  templates: {
    shipped:
      'Hi {{ contact.name | default: "there" }}, your order {{ situation.data.orderId }} is on its way.' +
      "{% if situation.data.tracking %} Follow it: {{ situation.data.tracking }}{% endif %}",
  },
  rules: [{ id: "order-shipped", on: "order.shipped", do: [{ send: "shipped" }] }],
  otherwise: [],
};
