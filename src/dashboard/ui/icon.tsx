import type { Icon as TablerIcon } from "@tabler/icons-react";

/** A decorative icon next to a text or label that says the same; hidden from screen readers. */
export const Icon = ({ of: Drawing, size = 18 }: { of: TablerIcon; size?: number }) => (
  <Drawing aria-hidden="true" size={size} stroke={1.8} />
);
