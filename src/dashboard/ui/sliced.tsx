import { type ReactNode, useDeferredValue } from "react";
import { Placeholder } from "./page";

/** Content that renders after its surroundings and in slices, so that the page stays responsive. */
export const Sliced = ({ children }: { children: () => ReactNode }) =>
  useDeferredValue(true, false) ? children() : <Placeholder />;
