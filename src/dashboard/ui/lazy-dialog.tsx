import { type ComponentType, type FunctionComponent, Suspense } from "react";
import { loaded } from "../loaded";

/**
 * A dialog whose code is loaded when it is opened, so that pages are shown earlier.
 * @param load imports the component
 */
export function lazyDialog<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  const { component: Component } = loaded(load);
  return (props) => (
    <Suspense>
      <Component {...props} />
    </Suspense>
  );
}
