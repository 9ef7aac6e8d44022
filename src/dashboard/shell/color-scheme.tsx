import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun, type Icon as TablerIcon } from "@tabler/icons-react";
import { Icon } from "../ui/icon";
import styles from "./shell.module.css";

const THEMES: { value: MantineColorScheme; text: string; icon: TablerIcon }[] = [
  { value: "light", text: "Light", icon: IconSun },
  { value: "dark", text: "Dark", icon: IconMoon },
  { value: "auto", text: "System", icon: IconDeviceDesktop },
];

/** Chooses the light, dark or system theme; the browser remembers it. */
export function ColorScheme() {
  // Otherwise Mantine adds a style element to suppress transitions, which the Content-Security-Policy rejects.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <SegmentedControl
      aria-label="Theme"
      size="xs"
      fullWidth
      value={colorScheme}
      onChange={setColorScheme}
      data={THEMES.map(({ value, text, icon }) => ({
        value,
        label: (
          <span className={styles.scheme} title={text}>
            <Icon of={icon} size={15} />
            <span className="visually-hidden">{text}</span>
          </span>
        ),
      }))}
    />
  );
}
