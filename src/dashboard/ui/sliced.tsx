import { type ReactNode, useDeferredValue } from "react";
import { Placeholder } from "./page";

/** Content that is drawn after what is around it, and in slices, so that the page answers meanwhile. */
export const Sliced = ({ children }: { children: () => ReactNode }) =>
  useDeferredValue(true, false) ? children() : <Placeholder />;
