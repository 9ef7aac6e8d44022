import { NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { exactTime } from "../ui/time";

const DAY_MS = 24 * 60 * 60 * 1000;

const CHOICES = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];

/** What is to be said while there is no end, by the choice. */
const NO_END: Readonly<Record<string, string>> = {
  "": "Works until it is revoked.",
  date: "Ends by itself with a day of your choice.",
};

/** When a key ends by itself: a number of days from now, or a date; "" for never. */
export interface Expiry {
  days: string;
  date: string;
}

/** The moment that was chosen, null for never. A date counts to its end, in the browser's time zone. */
export function endOf({ days, date }: Expiry): string | null {
  if (days === "") return null;
  if (days !== "date") return new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The field for it, and what was chosen. */
export function useExpiry(): { choice: Expiry; field: ReactNode } {
  const [days, setDays] = useState("");
  const [date, setDate] = useState("");
  const choice = { days, date };
  const end = endOf(choice);
  const field = (
    <>
      <NativeSelect
        label="Expires"
        description={end === null ? NO_END[days] : `Ends by itself on ${exactTime(end)}.`}
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

/** A day as date fields have it. */
function localDay(day: Date): string {
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${day.getFullYear()}-${month}-${date}`;
}
