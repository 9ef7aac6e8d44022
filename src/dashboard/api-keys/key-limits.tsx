import { Textarea, TextInput } from "@mantine/core";
import { KEY_DESCRIPTION_MAX_LENGTH, KEY_RATE_LIMIT_MAX } from "../../features/api-keys/api-key.limits";
import type { FormState } from "../ui/form-dialog";
import type { KeyFragment } from "./documents.generated";

/** The names of the fields, as in the API. */
export const LIMIT_FIELDS = ["description", "rateLimitPerMinute", "allowedNetworks"];

type Limits = Pick<KeyFragment, "description" | "rateLimitPerMinute" | "allowedNetworks">;

/** Returns the values of the fields, as API input. */
export function limitsOf(form: FormData): Limits {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const networks = text("allowedNetworks")
    .split(/[\s,]+/)
    .filter((network) => network !== "");
  return {
    description: text("description") || null,
    rateLimitPerMinute: Number(text("rateLimitPerMinute")) || null,
    allowedNetworks: networks.length === 0 ? null : networks,
  };
}

/** The fields for a key's description, rate limit and networks. */
export const LimitFields = ({ of, form }: { of?: Limits; form: FormState }) => (
  <>
    <TextInput
      {...form.field("description")}
      label="Description"
      description="What the key is for, if the name doesn’t make it clear."
      defaultValue={of?.description ?? ""}
      maxLength={KEY_DESCRIPTION_MAX_LENGTH}
      data-autofocus={of !== undefined || undefined}
    />
    <TextInput
      name="rateLimitPerMinute"
      type="number"
      label="Requests per minute"
      description="Leave empty to use the server’s limit."
      defaultValue={of?.rateLimitPerMinute ?? ""}
      min={1}
      max={KEY_RATE_LIMIT_MAX}
      step={1}
      error={form.errorOf("rateLimitPerMinute")}
    />
    <Textarea
      {...form.field("allowedNetworks")}
      label="Allowed networks"
      description="One network per line in CIDR notation, such as 192.0.2.0/24. Leave empty to allow all addresses."
      defaultValue={of?.allowedNetworks?.join("\n") ?? ""}
      rows={3}
      spellCheck={false}
    />
  </>
);
