import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun, type Icon as TablerIcon } from "@tabler/icons-react";
import { Icon } from "../ui/icon";
import { Segmented } from "../ui/segmented";
import styles from "./profile.module.css";

const THEMES: { value: MantineColorScheme; text: string; icon: TablerIcon }[] = [
  { value: "light", text: "Light", icon: IconSun },
  { value: "dark", text: "Dark", icon: IconMoon },
  { value: "auto", text: "System", icon: IconDeviceDesktop },
];

/** Chooses the light, dark or system theme; the browser remembers it. */
export function ColorScheme() {
  // Otherwise, Mantine suppresses transitions with a style element, which the Content-Security-Policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Segmented
      label="Theme"
      value={colorScheme}
      onChange={setColorScheme}
      options={THEMES.map(({ value, text, icon }) => ({
        value,
        label: (
          <span className={styles.scheme}>
            <Icon of={icon} size={15} />
            {text}
          </span>
        ),
      }))}
    />
  );
}
