import type { Icon as TablerIcon } from "@tabler/icons-react";

/** A decorative icon beside a text or a label that says the same: hidden from screen readers. */
export const Icon = ({ of: Drawing, size = 18 }: { of: TablerIcon; size?: number }) => (
  <Drawing aria-hidden="true" size={size} stroke={1.8} />
);
