import { LOCALE } from "./time";
import { whenNeeded } from "./when-needed";

const whole = whenNeeded(() => new Intl.NumberFormat(LOCALE));
const short = whenNeeded(() => new Intl.NumberFormat(LOCALE, { notation: "compact" }));

/** 12,345 */
export const wholeNumber = (value: number): string => whole().format(value);

/** 12K */
export const shortNumber = (value: number): string => short().format(value);
