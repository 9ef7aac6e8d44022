import { NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { exactTime } from "../ui/format";
import { DAY_MS, startOfDay } from "../ui/period";

const CHOICES = [
  { value: "", label: "No expiration" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "date", label: "On a date…" },
];

/** Help text for choices without a known expiration date. */
const NO_DATE: Readonly<Record<string, string>> = {
  "": "Works until you revoke it.",
  date: "Pick the last day this key should work.",
};

/** The selected expiration: `days` is a number of days from now, "date" for the date in `date`, or "" for never. */
export interface Expiry {
  days: string;
  date: string;
}

/** Returns the chosen time, or null for never. A date means the end of that day in the browser's time zone. */
export function expiryOf({ days, date }: Expiry): string | null {
  if (days === "") return null;
  if (days !== "date") return new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  const end = startOfDay(date, 1);
  return end && new Date(Date.parse(end) - 1_000).toISOString();
}

/**
 * Returns the form field and its current choice.
 * @param initial number of days selected at first; "" for no expiration
 */
export function useExpiry(initial = ""): { choice: Expiry; field: ReactNode } {
  const [chosen, setDays] = useState<string>();
  const days = chosen ?? initial;
  const [date, setDate] = useState("");
  const choice = { days, date };
  const expiresAt = expiryOf(choice);
  const field = (
    <>
      <NativeSelect
        label="Expiration"
        description={expiresAt === null ? NO_DATE[days] : `Expires on ${exactTime(expiresAt)}.`}
        data={CHOICES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      {days === "date" && (
        <TextInput
          type="date"
          label="Last day"
          required
          withAsterisk={false}
          min={localDay(new Date())}
          max="9999-12-30"
          value={date}
          onChange={(event) => setDate(event.currentTarget.value)}
        />
      )}
    </>
  );
  return { choice, field };
}

/** Formats a day as the value of a date field. */
function localDay(day: Date): string {
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${day.getFullYear()}-${month}-${date}`;
}
