import { useMantineColorScheme } from "@mantine/core";
import { Choice } from "../ui/choice";
import { Icon } from "../ui/icon";
import styles from "./shell.module.css";

const CHOICES = [
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
  { value: "auto", text: "As the system" },
] as const;

/** Light, dark, or whatever the system shows; the browser remembers it. */
export function ColorScheme() {
  // To hold transitions back it would put a style into the page, which the policy of the page does not let in.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Choice
      label="Colours"
      value={colorScheme}
      onChange={setColorScheme}
      options={CHOICES.map(({ value, text }) => ({
        value,
        label: (
          <span className={styles.scheme} title={text}>
            <Icon name={value} size={15} />
            <span className="visually-hidden">{text}</span>
          </span>
        ),
      }))}
    />
  );
}
