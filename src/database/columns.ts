/** Type of a column for a UUID. */
export const UUID_COLUMN = { type: "varchar", length: 36 } as const;

/** Type of a column for a Timestamp. */
export const TIMESTAMP_COLUMN = { type: "varchar", length: 24 } as const;
