const PATHS = {
  overview: "M4 20V10M10 20V4M16 20v-7M22 20H2",
  key: "M13.5 10.5 21 3M17 7l3 3M15.5 14.5a5.5 5.5 0 1 1-2-4.2 5.5 5.5 0 0 1 2 4.2Z",
  log: "M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01",
  organization: "M4 21V5l8-2v18M12 9h8v12M2 21h20M8 8h.01M8 12h.01M8 16h.01M16 13h.01M16 17h.01",
  light:
    "M12 4V2M12 22v-2M4 12H2M22 12h-2M5 5 6.5 6.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  auto: "M3 5h18v11H3zM8 21h8M12 16v5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "m4 12.5 5 5L20 6.5",
  warning: "M12 3 2 20h20L12 3ZM12 10v4M12 17h.01",
  search: "m21 21-5-5M18 10.5a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0Z",
  download: "M12 3v12M7 10l5 5 5-5M4 20h16",
  plus: "M12 5v14M5 12h14",
  menu: "M3 6h18M3 12h18M3 18h18",
  close: "M5 5l14 14M19 5 5 19",
  offline:
    "M2 2l20 20M8.5 16.4a5 5 0 0 1 7 0M5 12.9a10 10 0 0 1 5-2.7M19 12.9a10 10 0 0 0-2-1.6M2 8.8a15 15 0 0 1 4.2-2.7M22 8.8a15 15 0 0 0-11.3-3.8M12 20h.01",
  signOut: "M10 4H4v16h6M15 8l4 4-4 4M19 12H9",
  rename: "M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4",
  more: "m6 9 6 6 6-6",
  lock: "M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4",
} as const;

/** A sign beside words, which say the same: it is hidden from screen readers. */
export const Icon = ({ name, size = 18 }: { name: keyof typeof PATHS; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);
