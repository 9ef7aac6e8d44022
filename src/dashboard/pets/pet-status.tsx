import { StateTag } from "../ui/tag";
import type { PetStatus } from "./documents.generated";

const STATUSES = {
  available: { label: "Available", tone: "good" },
  pending: { label: "Sale pending", tone: "warn" },
  sold: { label: "Sold", tone: "plain" },
} as const satisfies Record<PetStatus, unknown>;

/** Pet statuses as select options. */
export const STATUS_OPTIONS = (Object.keys(STATUSES) as PetStatus[]).map((value) => ({
  value,
  label: STATUSES[value].label,
}));

/** The availability of a pet as a tag. */
export const PetTag = ({ status }: { status: PetStatus }) => <StateTag of={STATUSES} state={status} />;
