import { InfoDialog } from "../ui/dialog";
import { Facts } from "../ui/facts";

const KEYS: Readonly<Record<string, readonly string[]>> = {
  "Next row in a list": ["J"],
  "Previous row in a list": ["K"],
  "Open the row": ["Enter"],
  Search: ["/"],
  "Exact times": ["T"],
  "Go to…": ["Ctrl K", "⌘K"],
  "Send a message": ["Ctrl Enter", "⌘Enter"],
  "This list": ["?"],
};

/** The keys that the dashboard handles. */
export const ShortcutList = ({ onClosed }: { onClosed: () => void }) => (
  <InfoDialog title="Keyboard shortcuts" onClosed={onClosed}>
    <Facts
      facts={Object.fromEntries(
        Object.entries(KEYS).map(([name, keys]) => [
          name,
          keys.map((key, i) => (
            <span key={key}>
              {i > 0 && " or "}
              <kbd>{key}</kbd>
            </span>
          )),
        ]),
      )}
    />
  </InfoDialog>
);
