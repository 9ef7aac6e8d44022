/** Returns the fields that differ; only these are saved, so that others can change the rest concurrently. */
export const changedFields = <Fields extends object>(
  fields: Fields,
  base: NoInfer<Fields>,
): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name as keyof Fields]),
    ),
  ) as Partial<Fields>;
