import type { Icon as TablerIcon } from "@tabler/icons-react";

/** A decorative icon next to text or a label with the same meaning; hidden from screen readers. */
export const Icon = ({ of: Drawing, size = 18 }: { of: TablerIcon; size?: number }) => (
  <Drawing aria-hidden="true" size={size} stroke={1.8} />
);
