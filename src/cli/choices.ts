/** Returns the values of an enum, which the compiler checks, without loading the module that declares it. */
export const choicesOf = <T extends string>(all: Readonly<Record<T, true>>): T[] => Object.keys(all) as T[];
