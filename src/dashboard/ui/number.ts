import { LOCALE } from "./time";

const WHOLE = new Intl.NumberFormat(LOCALE);
const SHORT = new Intl.NumberFormat(LOCALE, { notation: "compact" });

/** 12,345 */
export const wholeNumber = (value: number): string => WHOLE.format(value);

/** 12K */
export const shortNumber = (value: number): string => SHORT.format(value);
