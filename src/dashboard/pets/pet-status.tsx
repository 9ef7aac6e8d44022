import { StateTag } from "../ui/tag";
import type { PetStatus } from "./documents.generated";

const STATUSES = {
  available: { label: "Available", tone: "good" },
  pending: { label: "Sale pending", tone: "warn" },
  sold: { label: "Sold", tone: "plain" },
} as const satisfies Record<PetStatus, unknown>;

export const STATUS_OPTIONS = (Object.keys(STATUSES) as PetStatus[]).map((value) => ({
  value,
  label: STATUSES[value].label,
}));

export const PetTag = ({ status }: { status: PetStatus }) => <StateTag of={STATUSES} state={status} />;
