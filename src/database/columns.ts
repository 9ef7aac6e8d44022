export const UUID_COLUMN = { type: "varchar", length: 36 } as const;

export const TIMESTAMP_COLUMN = { type: "varchar", length: 24 } as const;
