/** Returns the values of an enum, checked by the compiler, without loading the module that declares it. */
export const choicesOf = <T extends string>(all: Readonly<Record<T, true>>): T[] => Object.keys(all) as T[];
